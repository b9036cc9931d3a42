"""What Postgres itself holds of buyer receipts: one holds at a time, of the right bytes."""

from django.db import migrations

ONE_THAT_HOLDS = """
CREATE FUNCTION entitlements_one_buyer_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Race: two workers with the same work. The second waits here, then finds the first one's row.
    PERFORM pg_advisory_xact_lock(
        hashtext('buyer receipt ' || NEW.entitlement_id || ' ' || NEW.version_id)
    );
    IF NOT EXISTS (
        SELECT 1 FROM catalog_packageversion v
        JOIN receipts_receipt b ON b.id = NEW.benchmark_receipt_id AND b.kind = 'benchmark'
        JOIN receipts_receipt r ON r.id = NEW.receipt_id AND r.kind = 'buyer'
        WHERE v.id = NEW.version_id
            AND b.subject_sha256 = v.kit_id AND r.subject_sha256 = v.kit_id
    ) THEN
        RAISE EXCEPTION 'a buyer receipt is of the kit of its version, as is what it reveals'
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF EXISTS (
        SELECT 1 FROM entitlements_buyerreceipt o
        JOIN receipts_receipt r ON r.id = o.receipt_id
        JOIN receipts_signingkey k ON k.kid = r.key_id
        WHERE o.entitlement_id = NEW.entitlement_id AND o.version_id = NEW.version_id
            AND o.benchmark_receipt_id = NEW.benchmark_receipt_id AND k.status <> 'revoked'
    ) THEN
        RAISE EXCEPTION 'entitlement % has a buyer receipt that holds', NEW.entitlement_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'entitlements_one_buyer_receipt';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER one_that_holds BEFORE INSERT ON entitlements_buyerreceipt
    FOR EACH ROW EXECUTE FUNCTION entitlements_one_buyer_receipt();
ALTER TABLE entitlements_buyerreceipt ENABLE ALWAYS TRIGGER one_that_holds;
"""

ONE_THAT_HOLDS_REVERSE = """
DROP TRIGGER one_that_holds ON entitlements_buyerreceipt;
DROP FUNCTION entitlements_one_buyer_receipt();
"""


class Migration(migrations.Migration):
    dependencies = [("entitlements", "0003_what_money_buys")]

    operations = [migrations.RunSQL(ONE_THAT_HOLDS, ONE_THAT_HOLDS_REVERSE)]
