"""Who holds the application's own login, in raw SQL: cheap purchases, forged proofs, shadows."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from entitlements.models import Entitlement, Purchase
from licensing.models import LicenceSignature

PAYMENT, RIGHT = str(uuid4()), str(uuid4())
CHARGE = (
    "INSERT INTO public.entitlements_payment (id, purchase_id, kind, provider, reference,"
    " amount_minor, currency, recorded_by, received_at, charge_id) SELECT '{payment}', id,"
    " '{kind}', 'x', '{payment}', {amount}, '{currency}', 'x', now(), {charge}"
    " FROM public.entitlements_purchase WHERE id = '{purchase}'"
)
GRANT = (
    "INSERT INTO public.entitlements_entitlement (id, purchase_id, signature_id, entity_id,"
    " package_id, version_id, payment_id, granted_at) SELECT '{right}', id, signature_id,"
    " entity_id, package_id, version_id, '{payment}', now() FROM public.entitlements_purchase"
    " WHERE id = '{purchase}'"
)
PERIOD = (
    "INSERT INTO public.entitlements_maintenanceperiod (entitlement_id, payment_id, starts_at,"
    " ends_at) SELECT id, '{payment}', now(), now() + interval '1 month'"
    " FROM public.entitlements_entitlement WHERE id = '{right}'"
)
RECEIPT = (
    "INSERT INTO public.entitlements_buyerreceipt (entitlement_id, version_id, receipt_id)"
    " SELECT e.id, e.version_id, r.id FROM public.entitlements_entitlement e,"
    " public.receipts_receipt r WHERE e.id = '{right}' AND r.kind = 'benchmark'"
)
PURCHASE = (
    "INSERT INTO entitlements_purchase (id, package_id, version_id, entity_id, signature_id,"
    " state, currency, price_minor, maintenance_minor, purchase_order, checkout_session,"
    " created_at) SELECT gen_random_uuid(), s.package_id, v.id, s.entity_id, s.id, 'pending',"
    " {asked}, '', '', now()"
    " FROM licensing_licencesignature s JOIN catalog_packageversion v USING (package_id)"
)
PAID = "UPDATE entitlements_purchase SET state = 'paid', paid_at = now() WHERE id = '{purchase}'"


def run(*statements: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def charge(purchase: Purchase, *, amount: int, kind: str = "charge", currency: str = "USD") -> str:
    of = "NULL" if kind == "charge" else f"'{purchase.entitlement.payment_id}'"
    return CHARGE.format(
        payment=PAYMENT,
        purchase=purchase.pk,
        kind=kind,
        amount=amount,
        currency=currency,
        charge=of,
    )


@pytest.mark.parametrize("asked", ["'USD', 1, 0", "'EUR', 230000, 20000", "'USD', 0, 0"])
def test_no_purchase_opens_at_another_price(signature: LicenceSignature, asked: str) -> None:
    with pytest.raises(IntegrityError, match="price is not its version's"):
        run(PURCHASE.format(asked=asked))


def test_a_forged_right_needs_a_buyer_receipt(pending: Purchase) -> None:
    filled = {"payment": PAYMENT, "right": RIGHT, "purchase": pending.pk}
    with pytest.raises(IntegrityError, match="buyer receipt"):
        run(
            charge(pending, amount=pending.total_minor),
            *(each.format(**filled) for each in (GRANT, PERIOD, RECEIPT, PAID)),
        )
    assert not Entitlement.objects.exists()


@pytest.mark.parametrize(("amount", "currency"), [(-250_001, "USD"), (-1, "EUR")])
def test_no_refund_is_of_more_than_there_is(bought: Purchase, amount: int, currency: str) -> None:
    with pytest.raises(IntegrityError, match=r"a refund of more than there is|another currency"):
        run(charge(bought, amount=amount, kind="refund", currency=currency))


def test_a_refund_of_what_is_there_is_entered(bought: Purchase) -> None:
    run(charge(bought, amount=1 - bought.total_minor, kind="refund"))
    assert bought.payments.count() == 2


def test_a_refund_pays_for_no_maintenance(bought: Purchase) -> None:
    period = PERIOD.format(payment=PAYMENT, right=bought.entitlement.pk)
    with pytest.raises(IntegrityError, match="not paid by it"):
        run(charge(bought, amount=-1, kind="refund"), period)


@pytest.mark.parametrize("path", ["public, pg_temp", "pg_temp, public"])
def test_temporary_tables_of_the_same_name_fool_no_promise(pending: Purchase, path: str) -> None:
    names = ("entitlement", "maintenanceperiod", "buyerreceipt", "payment")
    shadows = [
        f"CREATE TEMP TABLE entitlements_{name} (LIKE public.entitlements_{name})" for name in names
    ]
    with pytest.raises(IntegrityError, match="a payment without an entitlement"):
        run(*shadows, f"SET LOCAL search_path = {path}", charge(pending, amount=250_000))


@pytest.mark.parametrize(
    "statement",
    [
        "MERGE INTO {} a USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
        "INSERT INTO {0} SELECT * FROM {0} ON CONFLICT (id) DO UPDATE SET id = excluded.id",
        "SELECT 1 FROM {} FOR UPDATE",
        "CREATE RULE r AS ON INSERT TO {} DO INSTEAD NOTHING",
        "CREATE TRIGGER z BEFORE INSERT ON {} EXECUTE FUNCTION touchstone_append_only()",
        "CREATE TEMP TABLE heir () INHERITS ({})",
        "LOCK TABLE {} IN ACCESS EXCLUSIVE MODE",
        "ALTER TABLE {} OWNER TO CURRENT_USER",
        "COPY {} FROM '/dev/null'",
    ],
)
@pytest.mark.parametrize("table", ["entitlements_payment", "licensing_licencesignature"])
def test_no_other_verb_reaches_evidence(bought: Purchase, statement: str, table: str) -> None:
    with pytest.raises(DatabaseError, match=r"permission denied|must be owner"):
        run(statement.format(table))


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE touchstone_owner",
        "SET SESSION AUTHORIZATION postgres",
        "ALTER ROLE touchstone_app SUPERUSER",
        "GRANT touchstone_owner TO touchstone_app",
        "CREATE SCHEMA beside",
        "CREATE FUNCTION public.sha256(text) RETURNS text LANGUAGE sql AS 'SELECT $1'",
        "CREATE OR REPLACE FUNCTION touchstone_append_only() RETURNS trigger AS '' LANGUAGE sql",
        "ALTER FUNCTION entitlements_all_or_nothing() RESET ALL",
        "SELECT setval('licensing_signature_position', 1)",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT lo_import('/etc/hostname')",
        "DELETE FROM django_migrations",
        "UPDATE pg_trigger SET tgenabled = 'D'",
    ],
)
def test_no_door_leads_to_the_owner(db: None, statement: str) -> None:
    with pytest.raises(DatabaseError, match=r"permission denied|must be owner"):
        run(statement)
