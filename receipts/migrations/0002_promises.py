"""What Postgres itself holds of receipts: they never change, and they say what their bytes say.

Raw files likewise: a digest is of its bytes.
"""

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

RAW_FILE = """
ALTER TABLE receipts_rawfile
    ADD CONSTRAINT receipts_rawfile_sha256_is_its_bytes CHECK (
        sha256 = encode(sha256(content), 'hex')
    ),
    ADD CONSTRAINT receipts_rawfile_is_at_most_16_mib CHECK (
        octet_length(content) <= 16 * 1024 * 1024
    );
"""

RAW_FILE_REVERSE = """
ALTER TABLE receipts_rawfile
    DROP CONSTRAINT receipts_rawfile_sha256_is_its_bytes,
    DROP CONSTRAINT receipts_rawfile_is_at_most_16_mib;
"""


SIGNED_KEYS = f"""
ALTER TABLE receipts_signedkeys
    ADD CONSTRAINT receipts_signed_keys_are_their_bytes CHECK (
        payload_sha256 = encode(sha256({PAYLOAD}), 'hex')
        AND (convert_from({PAYLOAD}, 'UTF8')::jsonb -> 'sequence')
            IS NOT DISTINCT FROM to_jsonb(sequence)
        AND length(root_public_key) = 32
    );
"""

SIGNED_KEYS_REVERSE = """
ALTER TABLE receipts_signedkeys DROP CONSTRAINT receipts_signed_keys_are_their_bytes;
"""

KEY_OF_THIS_KIND = """
ALTER TABLE receipts_receipt
    ADD CONSTRAINT receipts_receipt_key_is_of_its_kind
    FOREIGN KEY (key_id, kind) REFERENCES receipts_signingkey (kid, purpose);
"""

KEY_OF_THIS_KIND_REVERSE = """
ALTER TABLE receipts_receipt DROP CONSTRAINT receipts_receipt_key_is_of_its_kind;
"""


class Migration(migrations.Migration):
    dependencies = [("receipts", "0001_initial")]

    operations = [
        append_only_function(),
        append_only("receipts_receipt"),
        migrations.RunSQL(BYTES, BYTES_REVERSE),
        append_only("receipts_rawfile"),
        migrations.RunSQL(RAW_FILE, RAW_FILE_REVERSE),
        append_only("receipts_signedkeys"),
        migrations.RunSQL(SIGNED_KEYS, SIGNED_KEYS_REVERSE),
        migrations.RunSQL(KEY_OF_THIS_KIND, KEY_OF_THIS_KIND_REVERSE),
    ]
