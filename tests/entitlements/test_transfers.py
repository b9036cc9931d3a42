"""Bank transfers: the exact one opens, any other is held with its reason, none counts twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from dateutil.relativedelta import relativedelta
from django.db import connection
from django.utils import timezone

from entitlements.doors import closed_because
from entitlements.evidence.checking import check_evidence
from entitlements.models import DeskAction, HeldPayment, Hold, Outbox, Payment, Purchase
from entitlements.refunds import record_refund
from entitlements.transfers import TransferRefused, record_transfer
from licensing.models import User
from tests.shop import revoke
from tests.threads import at_once
from tests.transfers import nothing_opened, transfer_of


def recorded(paid: Purchase, by: User, **changed: Any) -> Payment | HeldPayment:
    row = record_transfer(**transfer_of(paid, by, **changed))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return row


def test_an_exact_transfer_opens_the_kit_for_a_year(pending: Purchase, clerk: User) -> None:
    row = recorded(pending, clerk)
    pending.refresh_from_db()
    assert (row, pending.state) == (pending.entitlement.payment, Purchase.State.PAID)
    assert row.amount_minor == pending.price_minor + 12 * pending.maintenance_minor
    period = pending.entitlement.maintenance_periods.get()
    assert period.ends_at == period.starts_at + relativedelta(months=12)
    assert closed_because(entitlement=pending.entitlement, version=pending.version) == ""
    assert Outbox.objects.filter(kind="purchase_completed").count() == 1


def test_the_log_says_who_and_why_beside_the_money(pending: Purchase, clerk: User) -> None:
    recorded(pending, clerk)
    action = DeskAction.objects.get()
    assert (action.actor, action.actor_email) == (clerk, clerk.email)
    assert (action.action, action.subject) == ("record_transfer", f"purchase {pending.pk}")
    assert action.why == "on the statement"
    assert action.details["reference"] == "BANK-1"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"amount_minor": 1}, "too little"),
        ({"amount_minor": 10**9}, "too much"),
        ({"currency": "EUR"}, "in EUR; the purchase is in USD"),
        ({"purchase": None}, "names no purchase"),
    ],
)
def test_any_other_money_is_held_and_opens_nothing(
    pending: Purchase, clerk: User, changed: dict[str, Any], reason: str
) -> None:
    row = recorded(pending, clerk, **changed)
    assert isinstance(row, HeldPayment)
    assert reason in row.reason
    assert nothing_opened(pending)
    assert DeskAction.objects.get().details["held"] == row.reason


def test_one_month_as_a_card_pays_is_too_little_for_a_transfer(
    pending: Purchase, clerk: User
) -> None:
    assert isinstance(recorded(pending, clerk, amount_minor=pending.total_minor), HeldPayment)


def test_the_same_reference_again_changes_nothing(pending: Purchase, clerk: User) -> None:
    first = recorded(pending, clerk)
    again = record_transfer(
        **transfer_of(pending, clerk, amount_minor=first.amount_minor, why="once more")
    )
    assert again == first
    assert (Payment.objects.count(), DeskAction.objects.count()) == (1, 1)
    with pytest.raises(TransferRefused, match="BANK-1 is recorded already"):
        record_transfer(**transfer_of(pending, clerk, amount_minor=5))


def test_a_held_reference_again_changes_nothing(pending: Purchase, clerk: User) -> None:
    first = recorded(pending, clerk, amount_minor=5)
    assert recorded(pending, clerk, amount_minor=5) == first
    with pytest.raises(TransferRefused, match="is recorded already"):
        recorded(pending, clerk)
    assert nothing_opened(pending)


def test_a_yearly_transfer_extends_maintenance(bought: Purchase, clerk: User) -> None:
    until = bought.entitlement.maintenance_periods.get().ends_at
    row = recorded(bought, clerk)
    period = bought.entitlement.maintenance_periods.get(payment=row.pk)
    assert (period.starts_at, period.ends_at) == (until, until + relativedelta(months=12))
    assert row.amount_minor == 12 * bought.maintenance_minor
    assert Outbox.objects.filter(kind="maintenance_renewed").count() == 1


def test_the_price_again_for_what_is_paid_is_held(bought: Purchase, clerk: User) -> None:
    whole = bought.price_minor + 12 * bought.maintenance_minor
    row = recorded(bought, clerk, amount_minor=whole)
    assert isinstance(row, HeldPayment)
    assert "too much" in row.reason


def test_money_for_a_refunded_purchase_is_held(bought: Purchase, clerk: User) -> None:
    record_refund(
        charge=bought.entitlement.payment,
        provider="stripe",
        reference="re_1",
        amount_minor=None,
        recorded_by="test",
    )
    row = recorded(bought, clerk)
    assert isinstance(row, HeldPayment)
    assert "refunded" in row.reason
    assert Hold.objects.get().released_at is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"amount_minor": 0}, "amount"),
        ({"amount_minor": -5}, "amount"),
        ({"amount_minor": 2**63}, "amount"),
        ({"reference": "  "}, "reference"),
        ({"reference": "x" * 51}, "reference"),
        ({"reference": "a\0b"}, "reference"),
        ({"currency": "US"}, "currency"),
        ({"currency": "U5D"}, "currency"),
        ({"received_on": timezone.now().date() + timedelta(days=2)}, "received on"),
    ],
)
def test_what_cannot_be_a_transfer_is_refused(
    pending: Purchase, clerk: User, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(TransferRefused, match=said):
        record_transfer(**transfer_of(pending, clerk, **changed))
    assert not HeldPayment.objects.exists()


def test_without_a_buyer_key_nothing_is_recorded(pending: Purchase, clerk: User) -> None:
    revoke("buyer")
    with pytest.raises(TransferRefused, match="no key to sign"):
        record_transfer(**transfer_of(pending, clerk))
    assert nothing_opened(pending)
    assert not DeskAction.objects.exists()


def test_an_earlier_day_counts_from_the_purchase_and_holds_as_evidence(
    pending: Purchase, clerk: User
) -> None:
    recorded(pending, clerk, received_on=timezone.now().date() - timedelta(days=9))
    assert pending.entitlement.granted_at == pending.created_at
    assert check_evidence(say=print)["entitlements_payment"] == 1


@pytest.mark.django_db(transaction=True)
def test_one_transfer_recorded_by_several_at_once_counts_once(
    pending: Purchase, clerk: User
) -> None:
    record = [lambda: record_transfer(**transfer_of(pending, clerk))] * 4
    raised = at_once(*record)
    assert raised == []
    assert (Payment.objects.count(), HeldPayment.objects.count()) == (1, 0)
    assert DeskAction.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_reference_for_two_purchases_at_once_is_one_row(pending: Purchase, clerk: User) -> None:
    unknown = transfer_of(pending, clerk) | {"purchase": None, "reference": uuid4().hex}
    raised = at_once(
        lambda: record_transfer(**unknown),
        lambda: record_transfer(**unknown | {"purchase": pending}),
    )
    assert raised == []
    assert Payment.objects.count() + HeldPayment.objects.count() == 1
