"""Parties: invitations, known roles, and an owner in every entity that has members."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# Looked at when the transaction commits, so that ownership may pass from hand to hand in it.
# The entity's row is locked first: of two owners who demote each other at once, the second
# waits here for the first one's commit and then sees it. A snapshot from before that lock
# would not see it, hence the refusal under REPEATABLE READ.
OWNER = """
CREATE FUNCTION licensing_entity_has_an_owner() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    concerned uuid;
BEGIN
    IF current_setting('transaction_isolation') = 'repeatable read' THEN
        RAISE EXCEPTION 'members change under READ COMMITTED or SERIALIZABLE'
            USING ERRCODE = 'restrict_violation';
    END IF;
    FOR concerned IN
        SELECT DISTINCT id FROM unnest(ARRAY[OLD.entity_id, NEW.entity_id]) AS id
        WHERE id IS NOT NULL ORDER BY id
    LOOP
        PERFORM 1 FROM licensing_licensedentity WHERE id = concerned FOR NO KEY UPDATE;
        IF EXISTS (SELECT 1 FROM licensing_member WHERE entity_id = concerned)
           AND NOT EXISTS (
               SELECT 1 FROM licensing_member WHERE entity_id = concerned AND role = 'owner')
        THEN
            RAISE EXCEPTION 'entity % has members and no owner', concerned
                USING ERRCODE = 'restrict_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entity_has_an_owner
    AFTER INSERT OR UPDATE OR DELETE ON licensing_member
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION licensing_entity_has_an_owner();
ALTER TABLE licensing_member ENABLE ALWAYS TRIGGER entity_has_an_owner;
"""

OWNER_REVERSE = """
DROP TRIGGER entity_has_an_owner ON licensing_member;
DROP FUNCTION licensing_entity_has_an_owner();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("licensing", "0002_promises"),
    ]

    operations = [
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "email",
                    models.EmailField(max_length=254, verbose_name="e-mail address, in lower case"),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("signer", "Signer"),
                            ("engineer", "Engineer"),
                        ],
                        max_length=10,
                    ),
                ),
                ("token_sha256", models.CharField(editable=False, max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["owner", "signer", "engineer"])),
                name="licensing_member_has_a_known_role",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="accepted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="entity",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="licensing.licensedentity",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="invited_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("accepted_at__isnull", True), ("revoked_at__isnull", True)),
                fields=("entity", "email"),
                name="licensing_invitation_one_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("accepted_at__isnull", True), ("revoked_at__isnull", True), _connector="OR"
                ),
                name="licensing_invitation_ends_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["owner", "signer", "engineer"])),
                name="licensing_invitation_is_to_a_known_role",
            ),
        ),
        migrations.RunSQL(OWNER, OWNER_REVERSE),
    ]
