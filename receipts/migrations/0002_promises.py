"""What Postgres itself holds of receipts: they never change, and they say what their bytes say."""

from django.db import migrations

from receipts.append_only import append_only, append_only_function

PAYLOAD = "decode(convert_from(envelope, 'UTF8')::jsonb ->> 'payload', 'base64')"

BYTES = f"""
ALTER TABLE receipts_receipt
    ADD CONSTRAINT receipts_receipt_payload_is_its_bytes CHECK (
        payload_sha256 = encode(sha256({PAYLOAD}), 'hex')
    ),
    ADD CONSTRAINT receipts_receipt_subject_is_its_bytes CHECK (
        subject_sha256 IS NOT DISTINCT FROM
            convert_from({PAYLOAD}, 'UTF8')::jsonb #>> '{{subject,0,digest,sha256}}'
    );
"""

BYTES_REVERSE = """
ALTER TABLE receipts_receipt
    DROP CONSTRAINT receipts_receipt_payload_is_its_bytes,
    DROP CONSTRAINT receipts_receipt_subject_is_its_bytes;
"""


class Migration(migrations.Migration):
    dependencies = [("receipts", "0001_initial")]

    operations = [
        append_only_function(),
        append_only("receipts_receipt"),
        migrations.RunSQL(BYTES, BYTES_REVERSE),
    ]
