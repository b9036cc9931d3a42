"""Refunds as Stripe tells them, over HTTP: in part, in full, on their way, failed, ours or not."""

from __future__ import annotations

from typing import Any

import pytest

from entitlements.doors import closed_because
from entitlements.inbox import retry_waiting
from entitlements.models import Payment, ProviderEvent, Purchase, Refund
from entitlements.outbox import run_due
from entitlements.refunds import request_refund
from entitlements.stripe.checkout import start_checkout
from tests.courier import Courier
from tests.provider import Provider, send
from tests.sandbox.conftest import control


def refund(provider: Provider, amount: int | None = None) -> str:
    """Refund the newest charge at Stripe's dashboard; returns the refund's id."""
    charge = provider.client.v1.charges.list().data[0]
    made = provider.client.v1.refunds.create(
        {"charge": charge.id} | ({"amount": amount} if amount else {})  # type: ignore[arg-type]  # the SDK wants its TypedDict, this dict is built by parts
    )
    return made.id


def is_open(purchase: Purchase) -> bool:
    entitlement = purchase.entitlement
    return closed_because(entitlement=entitlement, version=entitlement.version) == ""


def test_a_partial_refund_is_entered_once_and_access_stays(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    reference = refund(provider, 5_000)
    said = courier.deliver()
    assert (said["refund.created"], said["charge.refunded"]) == (["applied"], ["applied"])
    row = Payment.objects.get(kind="refund")
    assert (row.reference, row.amount_minor, row.charge) == (
        reference,
        -5_000,
        paid.entitlement.payment,
    )
    assert is_open(paid)


@pytest.mark.parametrize("kind", ["refund.created", "charge.refunded"])
def test_a_full_refund_at_the_dashboard_ends_access_by_either_event(
    provider: Provider, courier: Courier, paid: Purchase, kind: str
) -> None:
    refund(provider)
    assert courier.deliver(kind) == {kind: ["applied"]}
    assert not is_open(paid)


def test_two_partial_refunds_that_leave_nothing_end_access(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    refund(provider, 100_000)
    courier.deliver()
    assert is_open(paid)
    refund(provider)
    courier.deliver()
    assert not is_open(paid)


def test_a_refund_that_is_pending_takes_nothing_away_until_it_succeeded(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    control(provider.server, "POST", "/refunds", {"mode": "pending"})
    reference = refund(provider)
    courier.deliver()
    assert (Refund.objects.get().state, is_open(paid)) == ("pending", True)
    control(provider.server, "POST", f"/refunds/{reference}", {"status": "succeeded"})
    courier.deliver()
    assert (Refund.objects.get().state, is_open(paid)) == ("succeeded", False)


def test_a_refund_that_failed_never_closes_and_one_that_came_back_opens_again(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    reference = refund(provider)
    courier.deliver()
    assert not is_open(paid)
    control(provider.server, "POST", f"/refunds/{reference}", {"status": "failed"})
    courier.deliver()
    assert (Refund.objects.get().state, is_open(paid)) == ("failed", True)
    assert sum(Payment.objects.values_list("amount_minor", flat=True)) == 250_000


def test_one_that_we_asked_for_is_the_same_whoever_tells_of_it(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    wish = request_refund(charge=paid.entitlement.payment, why="a test", requested_by="desk")
    run_due()
    said = courier.deliver()
    assert said["refund.created"] == said["charge.refunded"] == ["applied"]
    wish.refresh_from_db()
    assert (Refund.objects.count(), wish.state) == (1, "succeeded")
    assert Payment.objects.filter(kind="refund").count() == 1


def test_a_refund_before_its_payment_was_entered_waits_for_it(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    provider.pay(start_checkout(pending))
    refund(provider)
    assert courier.deliver("refund.created") == {"refund.created": ["waiting"]}
    assert "is not in the ledger yet" in ProviderEvent.objects.get().note
    courier.deliver("invoice.paid")
    assert retry_waiting() == 1
    assert not is_open(Purchase.objects.get())


def test_a_refund_of_something_else_on_the_account_is_ignored(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    provider.pay_amount("order-7", 1_000)
    courier.deliver()
    refund(provider)
    said = courier.deliver()
    assert (said["refund.created"], said["charge.refunded"]) == (["ignored"], ["ignored"])
    assert Payment.objects.count() == 1


def test_while_stripe_cannot_be_asked_nothing_is_stored_and_it_is_sent_again(
    provider: Provider, courier: Courier, paid: Purchase, settings: Any
) -> None:
    refund(provider)
    told = next(each for each in courier.waiting() if each["type"] == "refund.created")
    there, settings.STRIPE_API_BASE = settings.STRIPE_API_BASE, "http://127.0.0.1:9"
    answer = send(told)
    assert (answer.status_code, answer.json()) == (
        503,
        {"error": "Stripe could not be asked about it"},
    )
    assert not ProviderEvent.objects.filter(event_id=told["id"]).exists()
    settings.STRIPE_API_BASE = there
    assert send(told).json() == {"outcome": "applied"}
    assert not is_open(paid)
