"""What Postgres itself holds of amounts and proofs, whoever writes.

A purchase opens at its version's own price, a refund gives back no more than there is, a
maintenance period is paid by a charge of its own purchase, and a buyer receipt is one.
"""

from django.db import migrations

# Each runs with the owner's path: a temporary table of the session cannot stand in for ours.
PRICE = """
CREATE FUNCTION entitlements_purchase_has_its_price() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE price jsonb;
BEGIN
    SELECT data -> 'price' INTO price FROM catalog_packageversion WHERE id = NEW.version_id;
    IF (NEW.currency, NEW.price_minor, NEW.maintenance_minor) IS DISTINCT FROM
       (price ->> 'currency', ((price ->> 'one_time')::numeric * 100)::bigint,
        ((price ->> 'maintenance_per_month')::numeric * 100)::bigint) THEN
        RAISE EXCEPTION 'purchase %: the price is not its version''s', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER price AFTER INSERT ON entitlements_purchase
    FOR EACH ROW EXECUTE FUNCTION entitlements_purchase_has_its_price();
ALTER TABLE entitlements_purchase ENABLE ALWAYS TRIGGER price;
"""

# Race: two refunds at once. The second waits for the purchase's row and counts the first.
REFUND = """
CREATE FUNCTION entitlements_refund_is_of_what_is_there() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE agreed text; kept bigint;
BEGIN
    SELECT currency INTO agreed FROM entitlements_purchase WHERE id = NEW.purchase_id FOR UPDATE;
    IF NEW.currency IS DISTINCT FROM agreed THEN
        RAISE EXCEPTION 'purchase %: another currency', NEW.purchase_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.kind = 'charge' THEN RETURN NEW; END IF;
    PERFORM 1 FROM entitlements_payment WHERE id = NEW.charge_id AND kind = 'charge';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'purchase %: a % of no charge', NEW.purchase_id, NEW.kind
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT sum(amount_minor) INTO kept
        FROM entitlements_payment WHERE NEW.charge_id IN (id, charge_id);
    IF NEW.kind = 'refund' AND kept + NEW.amount_minor < 0 THEN
        RAISE EXCEPTION 'purchase %: a refund of more than there is', NEW.purchase_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refund BEFORE INSERT ON entitlements_payment
    FOR EACH ROW EXECUTE FUNCTION entitlements_refund_is_of_what_is_there();
ALTER TABLE entitlements_payment ENABLE ALWAYS TRIGGER refund;
"""

MAINTENANCE = """
CREATE FUNCTION entitlements_maintenance_is_paid() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE brought bigint; a_month bigint; months bigint;
BEGIN
    SELECT paid.amount_minor - paid.tax_minor
            - CASE WHEN granted.payment_id = paid.id THEN bought.price_minor ELSE 0 END,
        bought.maintenance_minor
        INTO brought, a_month
        FROM entitlements_payment paid
        JOIN entitlements_entitlement granted USING (purchase_id)
        JOIN entitlements_purchase bought ON bought.id = paid.purchase_id
        WHERE paid.id = NEW.payment_id AND paid.kind = 'charge' AND granted.id = NEW.entitlement_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'maintenance of entitlement %: not paid by it', NEW.entitlement_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF a_month > 0 THEN
        months := brought / a_month;
        -- Three days more: providers bill the 31st on the last day of shorter months.
        IF months < 1 OR months * a_month <> brought
           OR NEW.ends_at > NEW.starts_at + make_interval(months => months::int) + '3 days' THEN
            RAISE EXCEPTION 'maintenance of entitlement %: longer than what was paid for it',
                NEW.entitlement_id USING ERRCODE = 'restrict_violation';
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER paid BEFORE INSERT ON entitlements_maintenanceperiod
    FOR EACH ROW EXECUTE FUNCTION entitlements_maintenance_is_paid();
ALTER TABLE entitlements_maintenanceperiod ENABLE ALWAYS TRIGGER paid;
"""

RECEIPT = """
CREATE FUNCTION entitlements_buyer_receipt_is_one() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM receipts_receipt receipt, catalog_packageversion version,
            entitlements_entitlement granted
        WHERE receipt.id = NEW.receipt_id AND version.id = NEW.version_id
            AND granted.id = NEW.entitlement_id AND receipt.kind = 'buyer'
            AND receipt.subject_sha256 = version.kit_id
            AND version.package_id = granted.package_id
    ) THEN
        RAISE EXCEPTION 'entitlement %: not a buyer receipt of its kit', NEW.entitlement_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER receipt BEFORE INSERT ON entitlements_buyerreceipt
    FOR EACH ROW EXECUTE FUNCTION entitlements_buyer_receipt_is_one();
ALTER TABLE entitlements_buyerreceipt ENABLE ALWAYS TRIGGER receipt;
"""

REVERSE = """
DROP TRIGGER price ON entitlements_purchase;
DROP TRIGGER refund ON entitlements_payment;
DROP TRIGGER paid ON entitlements_maintenanceperiod;
DROP TRIGGER receipt ON entitlements_buyerreceipt;
DROP FUNCTION entitlements_purchase_has_its_price();
DROP FUNCTION entitlements_refund_is_of_what_is_there();
DROP FUNCTION entitlements_maintenance_is_paid();
DROP FUNCTION entitlements_buyer_receipt_is_one();
"""


class Migration(migrations.Migration):
    dependencies = [("entitlements", "0002_promises")]

    operations = [migrations.RunSQL(PRICE + REFUND + MAINTENANCE + RECEIPT, REVERSE)]
