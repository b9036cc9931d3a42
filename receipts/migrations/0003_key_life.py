"""What Postgres itself holds of keys: a life goes one way, and only an active key signs."""

from django.db import migrations

THUMBPRINT = """
ALTER TABLE receipts_signingkey
    ADD CONSTRAINT receipts_key_id_is_its_thumbprint CHECK (
        kid = rtrim(translate(encode(sha256(convert_to(
            '{"crv":"Ed25519","kty":"OKP","x":"'
            || rtrim(translate(encode(public_key, 'base64'), '+/', '-_'), '=') || '"}',
            'UTF8')), 'base64'), '+/', '-_'), '=')
    );
"""

THUMBPRINT_REVERSE = """
ALTER TABLE receipts_signingkey DROP CONSTRAINT receipts_key_id_is_its_thumbprint;
"""

ONE_WAY = """
CREATE FUNCTION receipts_key_lives_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'key %: it stays, and so does its story', OLD.kid
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'active' OR NEW.not_after IS NOT NULL THEN
            RAISE EXCEPTION 'key %: a life begins active', NEW.kid
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF (NEW.kid, NEW.purpose, NEW.public_key, NEW.not_before) IS DISTINCT FROM
       (OLD.kid, OLD.purpose, OLD.public_key, OLD.not_before) THEN
        RAISE EXCEPTION 'key %: what it is does not change', OLD.kid
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.status, NEW.status) NOT IN (
        ('active', 'retired'), ('active', 'revoked'), ('retired', 'revoked')
    ) THEN
        RAISE EXCEPTION 'key % cannot go from % to %', OLD.kid, OLD.status, NEW.status
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.not_after IS NOT NULL AND NEW.not_after IS DISTINCT FROM OLD.not_after THEN
        RAISE EXCEPTION 'key %: its end is final', OLD.kid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER lives_once BEFORE INSERT OR UPDATE OR DELETE ON receipts_signingkey
    FOR EACH ROW EXECUTE FUNCTION receipts_key_lives_once();
ALTER TABLE receipts_signingkey ENABLE ALWAYS TRIGGER lives_once;
"""

ONE_WAY_REVERSE = """
DROP TRIGGER lives_once ON receipts_signingkey;
DROP FUNCTION receipts_key_lives_once();
"""

# FOR SHARE: retiring or revoking a key waits for whoever signs with it now, and a signer that
# comes later waits for the end of that and finds the key no longer active.
ACTIVE_SIGNS = """
CREATE FUNCTION receipts_receipt_is_by_active_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM receipts_signingkey WHERE kid = NEW.key_id AND status = 'active' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'key % is not active: it signs nothing new', NEW.key_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER by_active_key BEFORE INSERT ON receipts_receipt
    FOR EACH ROW EXECUTE FUNCTION receipts_receipt_is_by_active_key();
ALTER TABLE receipts_receipt ENABLE ALWAYS TRIGGER by_active_key;
"""

ACTIVE_SIGNS_REVERSE = """
DROP TRIGGER by_active_key ON receipts_receipt;
DROP FUNCTION receipts_receipt_is_by_active_key();
"""


class Migration(migrations.Migration):
    dependencies = [("receipts", "0002_promises")]

    operations = [
        migrations.RunSQL(THUMBPRINT, THUMBPRINT_REVERSE),
        migrations.RunSQL(ONE_WAY, ONE_WAY_REVERSE),
        migrations.RunSQL(ACTIVE_SIGNS, ACTIVE_SIGNS_REVERSE),
    ]
