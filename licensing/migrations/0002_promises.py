"""What Postgres itself holds of agreements: exact text, four sentences of it, an unbroken chain."""

from django.db import migrations

from receipts.append_only import append_only

TEXTS = """
ALTER TABLE licensing_licenceterms ADD CONSTRAINT licensing_terms_hash_is_of_its_bytes
    CHECK (sha256 = encode(sha256(body), 'hex'));

ALTER TABLE licensing_licencesignature
    ADD CONSTRAINT licensing_signature_hash_is_of_its_bytes
        CHECK (terms_sha256 = encode(sha256(terms_body), 'hex')),
    ADD CONSTRAINT licensing_signature_is_of_published_terms
        FOREIGN KEY (terms_id, terms_sha256) REFERENCES licensing_licenceterms (id, sha256),
    ADD CONSTRAINT licensing_signature_sentences_are_of_the_text CHECK (
        length(redistribution_text) > 20 AND length(resale_text) > 20
        AND length(traceability_text) > 20 AND length(responsibility_text) > 20
        AND position(convert_to(redistribution_text, 'UTF8') IN terms_body) > 0
        AND position(convert_to(resale_text, 'UTF8') IN terms_body) > 0
        AND position(convert_to(traceability_text, 'UTF8') IN terms_body) > 0
        AND position(convert_to(responsibility_text, 'UTF8') IN terms_body) > 0
    ),
    ADD CONSTRAINT licensing_signature_has_four_sentences CHECK (
        redistribution_text <> resale_text AND redistribution_text <> traceability_text
        AND redistribution_text <> responsibility_text AND resale_text <> traceability_text
        AND resale_text <> responsibility_text AND traceability_text <> responsibility_text
    );
"""

TEXTS_REVERSE = """
ALTER TABLE licensing_licenceterms DROP CONSTRAINT licensing_terms_hash_is_of_its_bytes;
ALTER TABLE licensing_licencesignature
    DROP CONSTRAINT licensing_signature_hash_is_of_its_bytes,
    DROP CONSTRAINT licensing_signature_is_of_published_terms,
    DROP CONSTRAINT licensing_signature_sentences_are_of_the_text,
    DROP CONSTRAINT licensing_signature_has_four_sentences;
"""

# The digest is of a jsonb text: its key order and number form are fixed by Postgres, and the
# function fixes what a session may change (time zone, form of bytea). The advisory lock makes
# positions and digests follow each other: a second signer waits for the first one's commit.
CHAIN = """
CREATE SEQUENCE licensing_signature_position;

CREATE FUNCTION licensing_signature_digest(row_ licensing_licencesignature) RETURNS text
LANGUAGE sql STABLE SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
    SELECT encode(sha256(convert_to((to_jsonb(row_) - 'digest')::text, 'UTF8')), 'hex')
$$;

CREATE FUNCTION licensing_signature_chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('licensing_signature_chain'));
    NEW.signed_at := clock_timestamp();
    NEW.position := nextval('licensing_signature_position');
    NEW.previous_digest := coalesce(
        (SELECT digest FROM licensing_licencesignature ORDER BY position DESC LIMIT 1), '');
    NEW.digest := licensing_signature_digest(NEW);
    RETURN NEW;
END $$;
CREATE TRIGGER chain BEFORE INSERT ON licensing_licencesignature
    FOR EACH ROW EXECUTE FUNCTION licensing_signature_chain();
ALTER TABLE licensing_licencesignature ENABLE ALWAYS TRIGGER chain;
"""

CHAIN_REVERSE = """
DROP TRIGGER chain ON licensing_licencesignature;
DROP FUNCTION licensing_signature_chain();
DROP FUNCTION licensing_signature_digest(licensing_licencesignature);
DROP SEQUENCE licensing_signature_position;
"""

RECEIPT = """
CREATE FUNCTION licensing_receipt_is_of_its_signature() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM receipts_receipt r, licensing_licencesignature s
    WHERE r.id = NEW.receipt_id AND s.id = NEW.signature_id AND r.kind = 'licence'
      AND r.subject_sha256 = s.terms_sha256
      AND convert_from(decode(convert_from(r.envelope, 'UTF8')::jsonb ->> 'payload', 'base64'),
                       'UTF8')::jsonb #>> '{predicate,chain,digest}' = s.digest;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'receipt % is not of signature %', NEW.receipt_id, NEW.signature_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER of_its_signature BEFORE INSERT ON licensing_licencereceipt
    FOR EACH ROW EXECUTE FUNCTION licensing_receipt_is_of_its_signature();
ALTER TABLE licensing_licencereceipt ENABLE ALWAYS TRIGGER of_its_signature;
"""

RECEIPT_REVERSE = """
DROP TRIGGER of_its_signature ON licensing_licencereceipt;
DROP FUNCTION licensing_receipt_is_of_its_signature();
"""


class Migration(migrations.Migration):
    dependencies = [("licensing", "0001_initial"), ("receipts", "0002_promises")]

    operations = [
        append_only("licensing_licenceterms"),
        append_only("licensing_licencesignature"),
        migrations.RunSQL(TEXTS, TEXTS_REVERSE),
        migrations.RunSQL(CHAIN, CHAIN_REVERSE),
        append_only("licensing_licencereceipt"),
        migrations.RunSQL(RECEIPT, RECEIPT_REVERSE),
    ]
