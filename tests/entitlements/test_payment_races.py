"""One payment spoken of from several sides at once, over real connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from entitlements.entering import kept_minor
from entitlements.inbox import retry_waiting
from entitlements.models import (
    BuyerReceipt,
    Entitlement,
    Hold,
    MaintenancePeriod,
    Outbox,
    Payment,
    ProviderEvent,
    Purchase,
    Refund,
)
from entitlements.refunds import RefundRefused, record_refund
from entitlements.stripe.checkout import start_checkout
from licensing.models import User
from receipts.models import Receipt
from tests.people import signed_in
from tests.provider import Provider, paid_event, send
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def assert_bought_once(purchase: Purchase) -> None:
    """Each row that a payment brings is there exactly once."""
    for model in (Payment, Entitlement, MaintenancePeriod, BuyerReceipt):
        assert model.objects.count() == 1, model
    assert Receipt.objects.filter(kind=Receipt.Kind.BUYER).count() == 1
    assert list(Outbox.objects.values_list("kind", flat=True)) == ["purchase_completed"]
    purchase.refresh_from_db()
    assert purchase.state == Purchase.State.PAID


def test_event_and_return_page_at_once_buy_once(
    provider: Provider, pending: Purchase, owner: User
) -> None:
    provider.pay(start_checkout(pending))
    event, path = provider.event(), f"/account/purchases/{pending.pk}/return/"
    browsers = [signed_in(owner) for _ in range(3)]
    answers: list[tuple[int, str]] = []

    def come_back(browser: Any) -> Callable[[], None]:
        def act() -> None:
            response = browser.get(path)
            answers.append((response.status_code, response.headers.get("Location", "")))

        return act

    def notify() -> None:
        response = send(event)
        answers.append((response.status_code, response.json()["outcome"]))

    assert at_once(*map(come_back, browsers), notify) == []
    assert sorted(answers) == [(200, "applied"), *[(302, pending.get_absolute_url())] * 3]
    assert_bought_once(pending)


def test_the_same_event_eight_times_at_once_buys_once(
    webhook_secret: str, pending: Purchase
) -> None:
    event, answers = paid_event(pending), list[tuple[int, Any]]()

    def notify() -> None:
        response = send(event)
        answers.append((response.status_code, response.json()))

    assert at_once(*[notify] * 8) == []
    assert answers == [(200, {"outcome": "applied"})] * 8
    assert ProviderEvent.objects.count() == 1
    assert_bought_once(pending)


def test_different_events_of_one_payment_at_once_buy_once(
    webhook_secret: str, pending: Purchase
) -> None:
    events = [paid_event(pending) | {"id": f"evt_{number}"} for number in range(4)]
    raised = at_once(*[lambda event=event: send(event) for event in events])
    assert raised == []
    assert set(ProviderEvent.objects.values_list("outcome", flat=True)) == {"applied"}
    assert_bought_once(pending)


def test_two_payments_at_once_are_both_entered_and_one_is_handed_back(
    webhook_secret: str, pending: Purchase
) -> None:
    events = [
        paid_event(pending, invoice=f"in_{number}") | {"id": f"evt_{number}"} for number in (1, 2)
    ]
    assert at_once(*[lambda event=event: send(event) for event in events]) == []
    assert Payment.objects.count() == 2
    assert Entitlement.objects.count() == BuyerReceipt.objects.count() == 1
    assert Refund.objects.get().charge_id != Entitlement.objects.get().payment_id
    assert Outbox.objects.filter(kind="refund").count() == 1


def test_two_workers_apply_a_waiting_event_once(pending: Purchase) -> None:
    ProviderEvent.objects.create(
        provider="stripe",
        event_id="evt_1",
        kind="checkout.session.completed",
        payload=paid_event(pending),
        outcome="waiting",
    )
    applied: list[int] = []
    assert at_once(*[lambda: applied.append(retry_waiting())] * 4) == []
    assert sorted(applied) == [0, 0, 0, 1]
    assert_bought_once(pending)


def test_two_full_refunds_at_once_leave_one(bought: Purchase) -> None:
    def refund(reference: str) -> Payment:
        return record_refund(
            charge=bought.entitlement.payment,
            provider="stripe",
            reference=reference,
            amount_minor=bought.total_minor,
            recorded_by="test",
        )

    (refused,) = at_once(lambda: refund("re_1"), lambda: refund("re_2"))
    assert isinstance(refused, RefundRefused)
    assert kept_minor(bought.entitlement.payment) == 0
    assert Hold.objects.count() == 1
