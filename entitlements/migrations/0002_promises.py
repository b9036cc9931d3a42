"""What Postgres itself holds of money and rights, whoever writes.

Promise 1: composite keys make an entitlement's signature the one its purchase was made with.
Promise 2: at commit a purchase has payment, entitlement, maintenance and buyer receipt, or none.
"""

from django.db import migrations

from receipts.append_only import append_only

BINDINGS = """
ALTER TABLE entitlements_purchase
    ADD CONSTRAINT entitlements_purchase_is_of_its_signature
        FOREIGN KEY (signature_id, entity_id, package_id)
        REFERENCES licensing_licencesignature (id, entity_id, package_id),
    ADD CONSTRAINT entitlements_purchase_version_is_of_its_package
        FOREIGN KEY (version_id, package_id)
        REFERENCES catalog_packageversion (id, package_id);

ALTER TABLE entitlements_entitlement
    ADD CONSTRAINT entitlements_entitlement_is_of_its_purchase
        FOREIGN KEY (purchase_id, signature_id, entity_id, package_id, version_id)
        REFERENCES entitlements_purchase (id, signature_id, entity_id, package_id, version_id),
    ADD CONSTRAINT entitlements_entitlement_is_paid_by_its_purchase
        FOREIGN KEY (payment_id, purchase_id)
        REFERENCES entitlements_payment (id, purchase_id);

ALTER TABLE entitlements_payment
    ADD CONSTRAINT entitlements_payment_moves_a_charge_of_its_purchase
        FOREIGN KEY (charge_id, purchase_id)
        REFERENCES entitlements_payment (id, purchase_id);
"""

BINDINGS_REVERSE = """
ALTER TABLE entitlements_payment
    DROP CONSTRAINT entitlements_payment_moves_a_charge_of_its_purchase;
ALTER TABLE entitlements_entitlement
    DROP CONSTRAINT entitlements_entitlement_is_of_its_purchase,
    DROP CONSTRAINT entitlements_entitlement_is_paid_by_its_purchase;
ALTER TABLE entitlements_purchase
    DROP CONSTRAINT entitlements_purchase_is_of_its_signature,
    DROP CONSTRAINT entitlements_purchase_version_is_of_its_package;
"""

# A card pays month by month; a bank transfer brings the first year with the price.
ALL_OR_NOTHING = """
CREATE FUNCTION entitlements_first_months(provider text) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE provider WHEN 'bank' THEN 12 ELSE 1 END $$;

CREATE FUNCTION entitlements_all_or_nothing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    subject uuid;
    bought entitlements_purchase%ROWTYPE;
    granted entitlements_entitlement%ROWTYPE;
    paid entitlements_payment%ROWTYPE;
BEGIN
    IF TG_TABLE_NAME = 'entitlements_purchase' THEN subject := NEW.id;
    ELSE subject := NEW.purchase_id; END IF;
    SELECT * INTO bought FROM entitlements_purchase WHERE id = subject;
    IF NOT FOUND THEN RETURN NULL; END IF;
    SELECT * INTO granted FROM entitlements_entitlement WHERE purchase_id = subject;
    IF granted.id IS NULL THEN
        IF EXISTS (SELECT 1 FROM entitlements_payment WHERE purchase_id = subject) THEN
            RAISE EXCEPTION 'purchase %: a payment without an entitlement', subject
                USING ERRCODE = 'restrict_violation';
        END IF;
        IF bought.state = 'paid' THEN
            RAISE EXCEPTION 'purchase %: paid without an entitlement', subject
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NULL;
    END IF;
    IF bought.state <> 'paid' THEN
        RAISE EXCEPTION 'purchase %: an entitlement, but not paid', subject
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT * INTO paid FROM entitlements_payment WHERE id = granted.payment_id;
    IF paid.kind <> 'charge' OR paid.currency <> bought.currency
       OR paid.amount_minor - paid.tax_minor <> bought.price_minor
           + bought.maintenance_minor * entitlements_first_months(paid.provider) THEN
        RAISE EXCEPTION 'purchase %: the payment is not its price', subject
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM entitlements_maintenanceperiod
                   WHERE entitlement_id = granted.id AND payment_id = paid.id) THEN
        RAISE EXCEPTION 'purchase %: an entitlement without its first maintenance period', subject
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM entitlements_buyerreceipt
                   WHERE entitlement_id = granted.id AND version_id = granted.version_id) THEN
        RAISE EXCEPTION 'purchase %: an entitlement without its buyer receipt', subject
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER all_or_nothing AFTER INSERT OR UPDATE ON entitlements_purchase
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entitlements_all_or_nothing();
CREATE CONSTRAINT TRIGGER all_or_nothing AFTER INSERT ON entitlements_payment
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entitlements_all_or_nothing();
CREATE CONSTRAINT TRIGGER all_or_nothing AFTER INSERT ON entitlements_entitlement
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entitlements_all_or_nothing();
ALTER TABLE entitlements_purchase ENABLE ALWAYS TRIGGER all_or_nothing;
ALTER TABLE entitlements_payment ENABLE ALWAYS TRIGGER all_or_nothing;
ALTER TABLE entitlements_entitlement ENABLE ALWAYS TRIGGER all_or_nothing;

CREATE FUNCTION entitlements_paid_purchase_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.state = 'paid' THEN
            RAISE EXCEPTION 'purchase % is paid: it stays', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF (NEW.package_id, NEW.version_id, NEW.entity_id, NEW.signature_id, NEW.currency,
        NEW.price_minor, NEW.maintenance_minor) IS DISTINCT FROM
       (OLD.package_id, OLD.version_id, OLD.entity_id, OLD.signature_id, OLD.currency,
        OLD.price_minor, OLD.maintenance_minor) THEN
        RAISE EXCEPTION 'purchase %: what was agreed is final', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'paid'
       AND (NEW.state, NEW.paid_at) IS DISTINCT FROM (OLD.state, OLD.paid_at) THEN
        RAISE EXCEPTION 'purchase % is paid: that does not change', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER final BEFORE UPDATE OR DELETE ON entitlements_purchase
    FOR EACH ROW EXECUTE FUNCTION entitlements_paid_purchase_is_final();
ALTER TABLE entitlements_purchase ENABLE ALWAYS TRIGGER final;
"""

ALL_OR_NOTHING_REVERSE = """
DROP TRIGGER all_or_nothing ON entitlements_purchase;
DROP TRIGGER all_or_nothing ON entitlements_payment;
DROP TRIGGER all_or_nothing ON entitlements_entitlement;
DROP FUNCTION entitlements_all_or_nothing();
DROP FUNCTION entitlements_first_months(text);
DROP TRIGGER final ON entitlements_purchase;
DROP FUNCTION entitlements_paid_purchase_is_final();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("entitlements", "0001_initial"),
        ("licensing", "0002_promises"),
        ("catalog", "0002_promises"),
    ]

    operations = [
        append_only("entitlements_payment"),
        append_only("entitlements_entitlement"),
        append_only("entitlements_maintenanceperiod"),
        append_only("entitlements_buyerreceipt"),
        append_only("entitlements_download"),
        migrations.RunSQL(BINDINGS, BINDINGS_REVERSE),
        migrations.RunSQL(ALL_OR_NOTHING, ALL_OR_NOTHING_REVERSE),
    ]
