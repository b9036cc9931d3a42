"""What Stripe says of a subscription: kept in order, told to the buyer, closing nothing early."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail

from entitlements.inbox import replay, retry_waiting
from entitlements.models import MaintenancePeriod, ProviderEvent, Purchase, Subscription
from entitlements.outbox import run_due
from tests.provider import send
from tests.stripe_events import event, invoice, subscription

pytestmark = pytest.mark.usefixtures("webhook_secret")
MAY = (datetime(2027, 5, 1, tzinfo=UTC), datetime(2027, 6, 1, tzinfo=UTC))
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)
UPDATED = "customer.subscription.updated"


def tell(purchase: Purchase, kind: str = UPDATED, after: int = 0, **changed: Any) -> str:
    """Send what became of the subscription, some seconds after noon; returns the outcome."""
    subject = subscription(purchase, period=MAY, **changed)
    answer = send(event(kind, subject, at=NOON + timedelta(seconds=after)))
    outcome: str = answer.json()["outcome"]
    return outcome


def subjects() -> list[str]:
    run_due()
    return [str(each.subject) for each in mail.outbox[1:]]  # the first said that the kit is ready


def test_a_subscription_is_kept_with_its_period(bought: Purchase) -> None:
    assert tell(bought, "customer.subscription.created") == "applied"
    row = Subscription.objects.get()
    assert (row.purchase, row.reference, row.status) == (bought, "sub_1", "active")
    assert (row.period_ends_at, row.cancel_at, row.grace_until) == (MAY[1], None, None)
    assert row.as_of == NOON
    assert subjects() == []


def test_an_older_word_changes_nothing(bought: Purchase) -> None:
    tell(bought, after=10, status="past_due")
    assert tell(bought, after=9) == "applied"
    assert Subscription.objects.get().status == "past_due"
    tell(bought, after=10)
    assert Subscription.objects.get().status == "active"


def test_what_has_ended_stays_so_whatever_comes_late(bought: Purchase) -> None:
    tell(bought, "customer.subscription.deleted", status="canceled")
    tell(bought, after=1)
    assert Subscription.objects.get().status == "canceled"
    assert subjects() == ["Maintenance has ended"]


def test_a_failed_payment_gives_grace_from_the_end_of_what_is_paid(
    bought: Purchase, settings: Any
) -> None:
    settings.MAINTENANCE_GRACE_DAYS = 10
    tell(bought, status="past_due")
    assert Subscription.objects.get().grace_until == MAY[0] + timedelta(days=10)
    send(event("invoice.paid", invoice(bought, reference="in_2", period=MAY)))
    tell(bought, after=1, status="unpaid")
    row = Subscription.objects.get()
    last = MaintenancePeriod.objects.latest("ends_at")
    assert (row.status, row.grace_until) == ("past_due", last.ends_at + timedelta(days=10))
    tell(bought, after=2)
    assert Subscription.objects.get().grace_until is None


def test_the_buyer_hears_of_each_failed_attempt_once(bought: Purchase) -> None:
    tell(bought, status="past_due")
    again = NOON + timedelta(days=3)
    failed = invoice(bought, period=MAY, attempt_count=1) | {
        "status": "open",
        "next_payment_attempt": int(again.timestamp()),
    }
    send(event("invoice.payment_failed", failed))
    assert replay(ProviderEvent.objects.get(kind="invoice.payment_failed")) == "applied"
    assert subjects() == ["Maintenance could not be collected"]
    assert "tried again on 2027-05-04. Until 2027-05-15 nothing is closed" in mail.outbox[1].body
    send(event("invoice.payment_failed", failed | {"attempt_count": 2}))
    assert subjects() == ["Maintenance could not be collected"] * 2


def test_a_first_payment_that_fails_writes_no_letter(pending: Purchase) -> None:
    failed = invoice(pending, period=MAY, billing_reason="subscription_create")
    assert send(event("invoice.payment_failed", failed)).json() == {"outcome": "ignored"}


def test_cancelled_at_the_end_of_the_period_the_buyer_hears_when(bought: Purchase) -> None:
    tell(bought, cancel_at_period_end=True)
    tell(bought, after=1, cancel_at_period_end=True)
    assert Subscription.objects.get().cancel_at == MAY[1]
    assert subjects() == ["Maintenance ends on 2027-06-01"]
    tell(bought, after=2)
    assert Subscription.objects.get().cancel_at is None


def test_the_end_of_one_of_two_is_no_end_of_maintenance(bought: Purchase) -> None:
    tell(bought)
    tell(bought, "customer.subscription.deleted", id="sub_2", status="canceled")
    assert Subscription.objects.count() == 2
    assert subjects() == []


def test_one_that_never_began_is_none(bought: Purchase) -> None:
    assert tell(bought, status="incomplete") == "ignored"
    assert tell(bought, status="incomplete_expired") == "ignored"
    assert not Subscription.objects.exists()


def test_of_a_purchase_that_is_not_known_yet_it_waits(pending: Purchase) -> None:
    later = Purchase(pk="6b1d3a52-5b0a-4f4e-9d5e-0d2f6a4c7b11")
    assert tell(later) == "waiting"
    Purchase.objects.filter(pk=pending.pk).update(id=later.pk)
    assert retry_waiting() == 1
    assert str(Subscription.objects.get().purchase_id) == later.pk


def test_of_something_else_on_the_account_it_is_ignored(bought: Purchase) -> None:
    assert tell(bought, metadata={}) == "ignored"
    assert tell(bought, metadata={"purchase": "order 7"}) == "ignored"
    assert ProviderEvent.objects.first().note == "of no purchase here"  # type: ignore[union-attr]  # a missing one fails the test too
