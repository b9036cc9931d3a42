"""Consent to electronic records: a sentence and its mark in each new signature's row."""

from django.db import migrations, models

# NOT VALID: signatures from before the question was asked have no answer, and never change.
CONSENT = """
ALTER TABLE licensing_licencesignature
    ADD CONSTRAINT licensing_signature_consents_to_records CHECK (
        consent_given IS TRUE AND consent_text IS NOT NULL AND length(consent_text) > 20
    ) NOT VALID;
"""

# The digest covers every column. A row from before has none of these two in its digest.
DIGEST = """
CREATE OR REPLACE FUNCTION licensing_signature_digest(row_ licensing_licencesignature)
RETURNS text LANGUAGE sql STABLE SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
    SELECT encode(sha256(convert_to((
        CASE WHEN row_.consent_text IS NULL AND row_.consent_given IS NULL
            THEN to_jsonb(row_) - 'digest' - 'consent_text' - 'consent_given'
            ELSE to_jsonb(row_) - 'digest' END
    )::text, 'UTF8')), 'hex')
$$;
"""

DIGEST_REVERSE = """
CREATE OR REPLACE FUNCTION licensing_signature_digest(row_ licensing_licencesignature)
RETURNS text LANGUAGE sql STABLE SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
    SELECT encode(sha256(convert_to((to_jsonb(row_) - 'digest')::text, 'UTF8')), 'hex')
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("licensing", "0002_promises")]

    operations = [
        migrations.AddField("licencesignature", "consent_text", models.TextField(null=True)),
        migrations.AddField("licencesignature", "consent_given", models.BooleanField(null=True)),
        migrations.RunSQL(
            CONSENT,
            "ALTER TABLE licensing_licencesignature "
            "DROP CONSTRAINT licensing_signature_consents_to_records",
        ),
        migrations.RunSQL(DIGEST, DIGEST_REVERSE),
    ]
