"""What Postgres itself holds of an unused signature: after its time no purchase opens with it.

`manage.py migrate` then brings SIGNATURE_VALID_DAYS in: entitlements/signature_validity.py.
"""

from django.db import migrations

# The time of the transaction's begin: what the application found in time a moment ago is in
# time here, and a row can only be older than it says, never younger.
IN_TIME = """
CREATE FUNCTION entitlements_signature_validity() RETURNS interval
LANGUAGE sql STABLE AS $$ SELECT interval '30 days' $$;

CREATE FUNCTION entitlements_purchase_is_in_time() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM licensing_licencesignature WHERE id = NEW.signature_id
            AND signed_at + entitlements_signature_validity() <= transaction_timestamp()
    ) THEN
        RAISE EXCEPTION 'signature %: its time for buying is over', NEW.signature_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER in_time BEFORE INSERT ON entitlements_purchase
    FOR EACH ROW EXECUTE FUNCTION entitlements_purchase_is_in_time();
ALTER TABLE entitlements_purchase ENABLE ALWAYS TRIGGER in_time;
"""

IN_TIME_REVERSE = """
DROP TRIGGER in_time ON entitlements_purchase;
DROP FUNCTION entitlements_purchase_is_in_time();
DROP FUNCTION entitlements_signature_validity();
"""


class Migration(migrations.Migration):
    dependencies = [("entitlements", "0004_buyer_receipts")]

    operations = [migrations.RunSQL(IN_TIME, IN_TIME_REVERSE)]
