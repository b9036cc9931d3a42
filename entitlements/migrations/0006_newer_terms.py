"""Newer terms signed for what was bought before: of the same entity and package, used once."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

from receipts.append_only import append_only

BINDINGS = """
ALTER TABLE entitlements_additionalsignature
    ADD CONSTRAINT entitlements_additional_is_of_its_entitlement
        FOREIGN KEY (entitlement_id, entity_id, package_id)
        REFERENCES entitlements_entitlement (id, entity_id, package_id),
    ADD CONSTRAINT entitlements_additional_is_of_its_signature
        FOREIGN KEY (signature_id, entity_id, package_id)
        REFERENCES licensing_licencesignature (id, entity_id, package_id);
"""

BINDINGS_REVERSE = """
ALTER TABLE entitlements_additionalsignature
    DROP CONSTRAINT entitlements_additional_is_of_its_entitlement,
    DROP CONSTRAINT entitlements_additional_is_of_its_signature;
"""

# Race: one signature used for a purchase and for newer terms at once. The second waits here.
ONCE = """
CREATE FUNCTION entitlements_signature_binds_once() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('signature binds once ' || NEW.signature_id));
    IF (TG_TABLE_NAME = 'entitlements_purchase' AND EXISTS (
            SELECT 1 FROM entitlements_additionalsignature WHERE signature_id = NEW.signature_id))
    OR (TG_TABLE_NAME = 'entitlements_additionalsignature' AND EXISTS (
            SELECT 1 FROM entitlements_purchase WHERE signature_id = NEW.signature_id)) THEN
        RAISE EXCEPTION 'signature % binds something already', NEW.signature_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER once BEFORE INSERT ON entitlements_purchase
    FOR EACH ROW EXECUTE FUNCTION entitlements_signature_binds_once();
CREATE TRIGGER once BEFORE INSERT ON entitlements_additionalsignature
    FOR EACH ROW EXECUTE FUNCTION entitlements_signature_binds_once();
ALTER TABLE entitlements_purchase ENABLE ALWAYS TRIGGER once;
ALTER TABLE entitlements_additionalsignature ENABLE ALWAYS TRIGGER once;
"""

ONCE_REVERSE = """
DROP TRIGGER once ON entitlements_purchase;
DROP TRIGGER once ON entitlements_additionalsignature;
DROP FUNCTION entitlements_signature_binds_once();
"""


def _key(to: str, **more: Any) -> Any:
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=to, **more)


class Migration(migrations.Migration):
    dependencies = [
        ("entitlements", "0005_signatures_expire"),
        ("licensing", "0001_initial"),
    ]

    operations = [
        migrations.AddConstraint(
            "entitlement",
            models.UniqueConstraint(
                fields=("id", "entity", "package"), name="entitlements_entitlement_identity"
            ),
        ),
        migrations.CreateModel(
            "AdditionalSignature",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("bound_at", models.DateTimeField(db_default=Now())),
                (
                    "entitlement",
                    _key(
                        "entitlements.entitlement",
                        db_constraint=False,
                        related_name="additional_signatures",
                    ),
                ),
                (
                    "signature",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="additional",
                        to="licensing.licencesignature",
                    ),
                ),
                ("entity", _key("licensing.licensedentity", related_name="+")),
                ("package", _key("catalog.package", related_name="+")),
            ],
            options={"ordering": ["id"]},
        ),
        append_only("entitlements_additionalsignature"),
        migrations.RunSQL(BINDINGS, BINDINGS_REVERSE),
        migrations.RunSQL(ONCE, ONCE_REVERSE),
    ]
