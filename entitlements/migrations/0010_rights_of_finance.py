"""The rights of the desk for finance: one an action."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("entitlements", "0008_what_money_holds")]

    operations = [
        migrations.AlterModelOptions(
            name="deskaction",
            options={
                "ordering": ["-id"],
                "permissions": [
                    ("record_transfer", "Can record a bank transfer"),
                    ("resolve_held", "Can apply held money or send it back"),
                    ("refund", "Can refund a charge"),
                    ("place_hold", "Can close access for a breach"),
                    ("release_hold", "Can release a hold"),
                    ("replay", "Can replay an event and retry a dead letter"),
                ],
            },
        ),
    ]
