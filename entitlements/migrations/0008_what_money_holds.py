"""What Postgres itself holds of money that goes back, whoever writes.

A charge bought something or goes back. A refund has succeeded when the ledger says so. What was
refunded or is disputed is on hold, at commit and after it. What was settled stays settled.
"""

from django.db import migrations

from receipts.append_only import append_only

# Race: each runs at commit, so that rows may come in any order inside one transaction.
SOMEWHERE = """
CREATE FUNCTION entitlements_charge_goes_somewhere() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.kind = 'charge'
       AND NOT EXISTS (SELECT 1 FROM entitlements_maintenanceperiod WHERE payment_id = NEW.id)
       AND NOT EXISTS (SELECT 1 FROM entitlements_refund
                       WHERE charge_id = NEW.id AND amount_minor = NEW.amount_minor) THEN
        RAISE EXCEPTION 'payment %: it buys nothing and does not go back', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER somewhere AFTER INSERT ON entitlements_payment
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION entitlements_charge_goes_somewhere();
ALTER TABLE entitlements_payment ENABLE ALWAYS TRIGGER somewhere;
"""

SETTLED = """
CREATE FUNCTION entitlements_refund_is_in_the_ledger() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE now_ entitlements_refund%ROWTYPE; sent boolean; back boolean;
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.charge_id, NEW.provider, NEW.amount_minor)
           IS DISTINCT FROM (OLD.charge_id, OLD.provider, OLD.amount_minor) THEN
        RAISE EXCEPTION 'refund %: what was asked for is final', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT * INTO now_ FROM entitlements_refund WHERE id = NEW.id;
    sent := EXISTS (SELECT 1 FROM entitlements_payment WHERE kind = 'refund'
        AND (provider, reference, charge_id, amount_minor)
            = (now_.provider, now_.reference, now_.charge_id, -now_.amount_minor::bigint));
    back := EXISTS (SELECT 1 FROM entitlements_payment WHERE kind = 'refund_failed'
        AND (provider, reference, charge_id, amount_minor)
            = (now_.provider, now_.reference || ':failed', now_.charge_id, now_.amount_minor));
    IF (now_.state = 'succeeded') IS DISTINCT FROM (sent AND NOT back) THEN
        RAISE EXCEPTION 'refund %: it is %, and the ledger says otherwise', now_.id, now_.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger AFTER INSERT OR UPDATE ON entitlements_refund
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION entitlements_refund_is_in_the_ledger();
ALTER TABLE entitlements_refund ENABLE ALWAYS TRIGGER ledger;
"""

HOLDS = """
CREATE FUNCTION entitlements_is_refunded(entitlement uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT coalesce(max(paid.amount_minor) + sum(moved.amount_minor)
        FILTER (WHERE moved.kind IN ('refund', 'refund_failed')) <= 0, false)
    FROM entitlements_entitlement granted
    JOIN entitlements_payment paid ON paid.id = granted.payment_id
    LEFT JOIN entitlements_payment moved ON moved.charge_id = paid.id
    WHERE granted.id = entitlement
$$;

CREATE FUNCTION entitlements_is_disputed(entitlement uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (
        SELECT 1 FROM entitlements_entitlement granted
        JOIN entitlements_payment paid ON paid.purchase_id = granted.purchase_id
        JOIN entitlements_dispute dispute ON dispute.charge_id = paid.id
        WHERE granted.id = entitlement
          AND (dispute.state = 'open' OR dispute.state = 'lost' AND paid.id = granted.payment_id))
$$;

CREATE FUNCTION entitlements_hold_follows_money() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE granted uuid;
BEGIN
    IF TG_TABLE_NAME = 'entitlements_hold' THEN
        granted := NEW.entitlement_id;
    ELSIF TG_TABLE_NAME = 'entitlements_payment' THEN
        SELECT id INTO granted FROM entitlements_entitlement WHERE purchase_id = NEW.purchase_id;
    ELSE
        SELECT e.id INTO granted FROM entitlements_payment p
            JOIN entitlements_entitlement e USING (purchase_id) WHERE p.id = NEW.charge_id;
    END IF;
    IF granted IS NULL THEN RETURN NULL; END IF;
    IF entitlements_is_refunded(granted) AND NOT EXISTS (SELECT 1 FROM entitlements_hold
            WHERE entitlement_id = granted AND reason = 'refund' AND released_at IS NULL) THEN
        RAISE EXCEPTION 'entitlement %: refunded, but not on hold', granted
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF entitlements_is_disputed(granted) AND NOT EXISTS (SELECT 1 FROM entitlements_hold
            WHERE entitlement_id = granted AND reason = 'dispute' AND released_at IS NULL) THEN
        RAISE EXCEPTION 'entitlement %: disputed, but not on hold', granted
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER holds AFTER INSERT ON entitlements_payment
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entitlements_hold_follows_money();
CREATE CONSTRAINT TRIGGER holds AFTER INSERT OR UPDATE ON entitlements_dispute
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entitlements_hold_follows_money();
CREATE CONSTRAINT TRIGGER holds AFTER UPDATE ON entitlements_hold
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entitlements_hold_follows_money();
ALTER TABLE entitlements_payment ENABLE ALWAYS TRIGGER holds;
ALTER TABLE entitlements_dispute ENABLE ALWAYS TRIGGER holds;
ALTER TABLE entitlements_hold ENABLE ALWAYS TRIGGER holds;
"""

# The owner too: what was settled is no more to be changed.
FINAL = """
CREATE FUNCTION entitlements_hold_is_released_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.released_at IS NOT NULL OR (to_jsonb(NEW) - 'released_at')
           IS DISTINCT FROM (to_jsonb(OLD) - 'released_at') THEN
        RAISE EXCEPTION 'hold %: it is released once, and stays', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER once BEFORE UPDATE OR DELETE ON entitlements_hold
    FOR EACH ROW EXECUTE FUNCTION entitlements_hold_is_released_once();
ALTER TABLE entitlements_hold ENABLE ALWAYS TRIGGER once;

CREATE FUNCTION entitlements_held_is_resolved_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.resolution <> '' OR
       (to_jsonb(NEW) - '{resolution,resolved_at,resolved_by,purchase_id}'::text[]) IS DISTINCT FROM
       (to_jsonb(OLD) - '{resolution,resolved_at,resolved_by,purchase_id}'::text[]) THEN
        RAISE EXCEPTION 'held payment %: it is resolved once, and stays', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER once BEFORE UPDATE OR DELETE ON entitlements_heldpayment
    FOR EACH ROW EXECUTE FUNCTION entitlements_held_is_resolved_once();
ALTER TABLE entitlements_heldpayment ENABLE ALWAYS TRIGGER once;

CREATE FUNCTION entitlements_reversal_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% %: it stays', TG_TABLE_NAME, OLD.id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER stays BEFORE DELETE ON entitlements_refund
    FOR EACH ROW EXECUTE FUNCTION entitlements_reversal_stays();
CREATE TRIGGER stays BEFORE DELETE ON entitlements_dispute
    FOR EACH ROW EXECUTE FUNCTION entitlements_reversal_stays();
ALTER TABLE entitlements_refund ENABLE ALWAYS TRIGGER stays;
ALTER TABLE entitlements_dispute ENABLE ALWAYS TRIGGER stays;
"""

REVERSE = """
DROP TRIGGER stays ON entitlements_refund;
DROP TRIGGER stays ON entitlements_dispute;
DROP TRIGGER once ON entitlements_heldpayment;
DROP TRIGGER once ON entitlements_hold;
DROP TRIGGER holds ON entitlements_payment;
DROP TRIGGER holds ON entitlements_dispute;
DROP TRIGGER holds ON entitlements_hold;
DROP TRIGGER ledger ON entitlements_refund;
DROP TRIGGER somewhere ON entitlements_payment;
DROP FUNCTION entitlements_reversal_stays();
DROP FUNCTION entitlements_held_is_resolved_once();
DROP FUNCTION entitlements_hold_is_released_once();
DROP FUNCTION entitlements_hold_follows_money();
DROP FUNCTION entitlements_is_disputed(uuid);
DROP FUNCTION entitlements_is_refunded(uuid);
DROP FUNCTION entitlements_refund_is_in_the_ledger();
DROP FUNCTION entitlements_charge_goes_somewhere();
"""


class Migration(migrations.Migration):
    dependencies = [("entitlements", "0007_life_of_money")]

    operations = [
        append_only("entitlements_deskaction"),
        append_only("entitlements_proforma"),
        migrations.RunSQL(SOMEWHERE + SETTLED + HOLDS + FINAL, REVERSE),
    ]
