"""The promises about money and rights, asked of Postgres in raw SQL as the application's role."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.utils import ProgrammingError

from catalog.models import PackageVersion
from entitlements.models import Payment, Purchase
from licensing.models import LicenceSignature, User

EVIDENCE = [
    "receipts_receipt",
    "receipts_signedkeys",
    "catalog_withheld",
    "licensing_licenceterms",
    "licensing_licencesignature",
    "entitlements_payment",
    "entitlements_entitlement",
    "entitlements_maintenanceperiod",
    "entitlements_buyerreceipt",
    "entitlements_download",
]


def run(sql: str, *params: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_the_suite_runs_as_the_application_role(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == ("touchstone_app", False)


@pytest.mark.parametrize("table", EVIDENCE)
@pytest.mark.parametrize("verb", ["UPDATE {} SET id = id", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_evidence_refuses_change(bought: Purchase, table: str, verb: str) -> None:
    with pytest.raises((IntegrityError, ProgrammingError), match=r"permission denied|append-only"):
        run(verb.format(table))


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE entitlements_payment DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "ALTER TABLE licensing_licencesignature DROP COLUMN digest",
        "DROP TABLE entitlements_payment",
        "CREATE TABLE beside (id int)",
    ],
)
def test_the_application_role_cannot_move_the_walls(db: None, statement: str) -> None:
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        run(statement)


COPY_OF_PURCHASE = (
    "INSERT INTO entitlements_purchase (id, package_id, version_id, entity_id, signature_id, state,"
    " currency, price_minor, maintenance_minor, purchase_order, checkout_session, created_at)"
    " SELECT gen_random_uuid(), package_id, version_id, entity_id, {signature}, 'pending',"
    " currency, price_minor, maintenance_minor, '', '', now()"
    " FROM entitlements_purchase WHERE id = %s"
)


@pytest.mark.parametrize(
    ("signed", "wall"),
    [
        ("NULL", "signature_id"),
        ("gen_random_uuid()", "is_of_its_signature"),
        ("signature_id", "signature_id_key"),
    ],
)
def test_no_purchase_exists_without_its_own_signature(
    pending: Purchase, signed: str, wall: str
) -> None:
    with pytest.raises(IntegrityError, match=wall):
        run(COPY_OF_PURCHASE.format(signature=signed), pending.pk)


def test_a_purchase_cannot_borrow_another_entitys_signature(
    signature: LicenceSignature, published: PackageVersion, outsider: User
) -> None:
    with pytest.raises(IntegrityError, match="is_of_its_signature"):
        run(
            "INSERT INTO entitlements_purchase (id, package_id, version_id, entity_id,"
            " signature_id, state, currency, price_minor, maintenance_minor, purchase_order,"
            " checkout_session, created_at) SELECT gen_random_uuid(), %s, %s, id, %s, 'pending',"
            " 'USD', 1, 1, '', '', now()"
            " FROM licensing_licensedentity WHERE legal_name = 'Elsewhere AB'",
            published.package_id,
            published.pk,
            signature.pk,
        )


def test_what_was_agreed_does_not_change(pending: Purchase) -> None:
    with pytest.raises(IntegrityError, match="what was agreed is final"):
        run("UPDATE entitlements_purchase SET price_minor = 1 WHERE id = %s", pending.pk)


def test_a_payment_without_an_entitlement_is_not_committed(pending: Purchase) -> None:
    with pytest.raises(IntegrityError, match="a payment without an entitlement"):
        run(
            "INSERT INTO entitlements_payment (id, purchase_id, kind, provider, reference,"
            " amount_minor, currency, recorded_by, received_at) VALUES"
            " (gen_random_uuid(), %s, 'charge', 'x', 'x', 250000, 'USD', 'x', now())",
            pending.pk,
        )


def test_a_purchase_is_not_paid_without_an_entitlement(pending: Purchase) -> None:
    with pytest.raises(IntegrityError, match="paid without an entitlement"):
        run(
            "UPDATE entitlements_purchase SET state = 'paid', paid_at = now() WHERE id = %s",
            pending.pk,
        )


def test_an_entitlement_needs_a_payment_of_its_own_purchase(pending: Purchase) -> None:
    with pytest.raises(IntegrityError, match="is_paid_by_its_purchase"):
        run(
            "INSERT INTO entitlements_entitlement (id, purchase_id, signature_id, entity_id,"
            " package_id, version_id, payment_id, granted_at) SELECT gen_random_uuid(), id,"
            " signature_id, entity_id, package_id, version_id, gen_random_uuid(), now()"
            " FROM entitlements_purchase WHERE id = %s",
            pending.pk,
        )


def test_a_paid_purchase_stays_paid(bought: Purchase) -> None:
    with pytest.raises(IntegrityError, match="is paid"):
        run(
            "UPDATE entitlements_purchase SET state = 'pending', paid_at = NULL WHERE id = %s",
            bought.pk,
        )


def test_a_payment_reference_is_entered_once(bought: Purchase) -> None:
    row = Payment.objects.get(purchase=bought)
    with pytest.raises(IntegrityError, match="once_per_reference"):
        run(
            "INSERT INTO entitlements_payment (id, kind, provider, reference, amount_minor,"
            " currency, recorded_by, received_at, purchase_id) SELECT gen_random_uuid(), kind,"
            " provider, reference, amount_minor, currency, recorded_by, received_at, purchase_id"
            " FROM entitlements_payment WHERE id = %s",
            row.pk,
        )


def test_a_signature_carries_a_digest_that_postgres_recomputes(
    signature: LicenceSignature,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT licensing_signature_digest(s) = digest FROM licensing_licencesignature s"
        )
        assert cursor.fetchall() == [(True,)]
