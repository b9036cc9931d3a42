"""What Postgres holds of refunds, disputes, holds and renewals, whoever writes: in raw SQL."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from entitlements.disputes import track_dispute
from entitlements.models import HeldPayment, Hold, Payment, Purchase, Refund
from entitlements.refunds import record_refund, request_refund, track_refund
from tests.money import dispute_of

LEDGER = (
    "INSERT INTO entitlements_payment (id, purchase_id, charge_id, kind, provider, reference,"
    " amount_minor, currency, recorded_by, received_at)"
    " VALUES (%(id)s, %(purchase)s, %(charge)s, %(kind)s, %(provider)s, %(reference)s, %(amount)s,"
    " 'USD', 'sql', now())"
)
PERIOD = (
    "INSERT INTO entitlements_maintenanceperiod (entitlement_id, payment_id, starts_at, ends_at)"
    " VALUES (%(right)s, %(id)s, now(), now() + %(span)s::interval)"
)


def run(statement: str, **values: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for each in statement.split(";"):
            cursor.execute(each, values or None)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def row(purchase: Purchase, *, kind: str, amount: int, **changed: Any) -> dict[str, Any]:
    charge = None if kind == "charge" else purchase.entitlement.payment_id
    return {
        "id": uuid4(),
        "purchase": purchase.pk,
        "charge": charge,
        "kind": kind,
        "provider": "stripe",
        "reference": uuid4().hex,
        "amount": amount,
        "right": purchase.entitlement.pk,
        "span": "1 month",
    } | changed


def test_a_charge_that_buys_nothing_goes_back_or_is_refused(bought: Purchase) -> None:
    with pytest.raises(IntegrityError, match="buys nothing and does not go back"):
        run(LEDGER, **row(bought, kind="charge", amount=20_000))


def test_a_charge_that_maintains_is_entered(bought: Purchase) -> None:
    run(f"{LEDGER}; {PERIOD}", **row(bought, kind="charge", amount=20_000))
    assert bought.entitlement.maintenance_periods.count() == 2


@pytest.mark.parametrize(
    ("amount", "span"),
    [
        (20_000, "2 months"),
        (20_000, "35 days"),
        (40_000, "66 days"),
        (30_000, "1 month"),
        (1, "1 s"),
    ],
)
def test_no_period_is_longer_than_what_was_paid_for_it(
    bought: Purchase, amount: int, span: str
) -> None:
    with pytest.raises(IntegrityError, match="longer than what was paid for it"):
        run(f"{LEDGER}; {PERIOD}", **row(bought, kind="charge", amount=amount, span=span))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"charge": None}, "of no charge"),
        ({"charge": uuid4()}, "of no charge"),
        ({"amount": 5}, "sign_follows_kind"),
        ({"kind": "dispute_won", "amount": -5}, "sign_follows_kind"),
        ({"kind": "gift", "amount": 5}, "sign_follows_kind"),
    ],
)
def test_a_move_is_of_a_charge_and_has_its_sign(
    bought: Purchase, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(IntegrityError, match=said):
        run(LEDGER, **row(bought, kind="refund", amount=-5) | changed)


def test_a_refund_of_a_refund_is_refused(bought: Purchase) -> None:
    first = row(bought, kind="refund", amount=-5)
    run(LEDGER, **first)
    with pytest.raises(IntegrityError, match="of no charge"):
        run(LEDGER, **row(bought, kind="refund", amount=-5, charge=first["id"]))


def test_a_full_refund_is_on_hold_at_commit(bought: Purchase) -> None:
    with pytest.raises(IntegrityError, match="refunded, but not on hold"):
        run(LEDGER, **row(bought, kind="refund", amount=-bought.total_minor))


def test_a_hold_stays_while_the_money_is_gone(bought: Purchase) -> None:
    refund(bought)
    with pytest.raises(IntegrityError, match="refunded, but not on hold"):
        run("UPDATE entitlements_hold SET released_at = now()")
    track_dispute(**dispute_of(bought.entitlement.payment))
    with pytest.raises(IntegrityError, match="disputed, but not on hold"):
        run("UPDATE entitlements_hold SET released_at = now() WHERE reason = 'dispute'")


def test_an_open_dispute_is_on_hold_at_commit(bought: Purchase) -> None:
    statement = (
        "INSERT INTO entitlements_dispute (id, charge_id, provider, reference, amount_minor, state,"
        " reason, opened_at, as_of) VALUES (gen_random_uuid(), %(charge)s, 'stripe', 'dp_1', 1,"
        " %(state)s, '', now(), now())"
    )
    charge = bought.entitlement.payment_id
    for state in ("open", "lost"):
        with pytest.raises(IntegrityError, match="disputed, but not on hold"):
            run(statement, charge=charge, state=state)
    run(statement, charge=charge, state="warning")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entitlements_hold SET reason = 'breach'",
        "UPDATE entitlements_hold SET note = 'never mind'",
        "UPDATE entitlements_hold SET opened_at = now()",
        "UPDATE entitlements_hold SET released_at = now(), note = 'x'",
    ],
)
def test_a_hold_changes_by_its_release_alone(bought: Purchase, statement: str) -> None:
    Hold.objects.create(entitlement=bought.entitlement, reason="dispute", note="as it was")
    with pytest.raises(IntegrityError, match="released once, and stays"):
        run(statement)
    run("UPDATE entitlements_hold SET released_at = now()")
    with pytest.raises(IntegrityError, match="released once, and stays"):
        run("UPDATE entitlements_hold SET released_at = NULL")


@pytest.mark.parametrize("table", ["hold", "refund", "dispute", "heldpayment"])
def test_what_takes_money_back_stays(bought: Purchase, table: str) -> None:
    with pytest.raises(DatabaseError, match="permission denied"):
        run(f"DELETE FROM entitlements_{table}")  # noqa: S608 -- the test's own names


def test_a_refund_has_succeeded_when_the_ledger_says_so(bought: Purchase) -> None:
    wish = request_refund(
        charge=bought.entitlement.payment, amount_minor=5, why="a test", requested_by="test"
    )
    succeed = "UPDATE entitlements_refund SET state = 'succeeded', reference = 're_1'"
    with pytest.raises(IntegrityError, match="the ledger says otherwise"):
        run(succeed)
    run(f"{LEDGER}; {succeed}", **row(bought, kind="refund", amount=-5, reference="re_1"))
    with pytest.raises(IntegrityError, match="the ledger says otherwise"):
        run("UPDATE entitlements_refund SET state = 'failed'")
    with pytest.raises(IntegrityError, match="what was asked for is final"):
        run("UPDATE entitlements_refund SET amount_minor = 6")
    assert Refund.objects.get().pk == wish.pk


def test_held_money_is_resolved_once(bought: Purchase) -> None:
    HeldPayment.objects.create(
        provider="bank",
        reference="T1",
        amount_minor=5,
        currency="USD",
        reason="too little",
        recorded_by="test",
    )
    with pytest.raises(IntegrityError, match="resolved once"):
        run("UPDATE entitlements_heldpayment SET amount_minor = 6")
    run("UPDATE entitlements_heldpayment SET resolution = 'returned', resolved_at = now()")
    with pytest.raises(IntegrityError, match="resolved once"):
        run("UPDATE entitlements_heldpayment SET resolution = 'applied'")


def refund(bought: Purchase) -> Payment:
    return record_refund(
        charge=bought.entitlement.payment,
        provider="stripe",
        reference="re_full",
        amount_minor=None,
        recorded_by="test",
    )


def test_a_refund_that_came_back_opens_again(bought: Purchase) -> None:
    charge = bought.entitlement.payment
    refund(bought)
    assert Hold.objects.filter(released_at__isnull=True).exists()
    for _ in range(2):
        track_refund(
            charge=charge,
            provider="stripe",
            reference="re_full",
            amount_minor=charge.amount_minor,
            state="failed",
            recorded_by="test",
        )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert not Hold.objects.filter(released_at__isnull=True).exists()
    kinds = Payment.objects.order_by("amount_minor").values_list("kind", flat=True)
    assert sorted(kinds) == ["charge", "refund", "refund_failed"]
