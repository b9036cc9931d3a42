"""Stored and applied in one transaction: repeats, early events, wrong money, and failures."""

from __future__ import annotations

import logging
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from entitlements.inbox import retry_waiting
from entitlements.models import Entitlement, Outbox, Payment, ProviderEvent, Purchase
from entitlements.stripe.checkout import start_checkout
from receipts.models import Receipt
from tests.provider import WEBHOOK, Provider, paid_event, send
from tests.sandbox.conftest import API_KEY, WEBHOOK_SECRET

pytestmark = pytest.mark.usefixtures("webhook_secret")


def outcome_of(response: Any) -> str:
    """How a 200 says the event ended; the stored row says the same."""
    assert response.status_code == 200
    outcome: str = response.json()["outcome"]
    assert ProviderEvent.objects.get().outcome == outcome
    return outcome


def nothing_opened() -> bool:
    rows = (Payment, Entitlement, Outbox)
    return not any(model.objects.exists() for model in rows)


@pytest.mark.parametrize("kind", ["customer.created", "invoice.paid", "a.type.of.tomorrow"])
def test_a_type_that_is_of_no_concern_is_kept_and_ignored(pending: Purchase, kind: str) -> None:
    assert outcome_of(send(paid_event(pending) | {"type": kind})) == "ignored"
    assert nothing_opened()


def test_a_completed_session_that_is_not_paid_yet_opens_nothing(pending: Purchase) -> None:
    assert outcome_of(send(paid_event(pending, payment_status="unpaid"))) == "ignored"
    assert nothing_opened()
    later = {"id": "evt_2", "type": "checkout.session.async_payment_succeeded"}
    assert send(paid_event(pending) | later).json() == {"outcome": "applied"}


def test_the_same_event_again_is_answered_as_the_first_time(pending: Purchase) -> None:
    event = paid_event(pending)
    assert [outcome_of(send(event)) for _ in range(3)] == ["applied"] * 3
    assert Payment.objects.count() == Outbox.objects.count() == 1


def test_two_events_of_one_payment_enter_it_once(pending: Purchase) -> None:
    for number in (1, 2):
        event = paid_event(pending) | {"id": f"evt_{number}"}
        assert send(event).json() == {"outcome": "applied"}
    assert Payment.objects.count() == Outbox.objects.count() == 1


def test_an_early_event_waits_and_is_applied_when_its_purchase_is_there(pending: Purchase) -> None:
    later = uuid4()
    assert outcome_of(send(paid_event(pending, client_reference_id=str(later)))) == "waiting"
    assert retry_waiting() == 0
    assert nothing_opened()
    Purchase.objects.filter(pk=pending.pk).update(id=later)
    assert retry_waiting() == 1
    assert retry_waiting() == 0
    assert ProviderEvent.objects.get().outcome == "applied"
    assert Entitlement.objects.get().purchase_id == later


@pytest.mark.parametrize("reference", [None, "", "order 7", 7, {"id": "x"}])
def test_a_session_of_another_shop_on_the_account_does_not_wait_for_ever(
    pending: Purchase, reference: object
) -> None:
    event = paid_event(pending, client_reference_id=reference)
    assert outcome_of(send(event)) == "ignored"
    assert ProviderEvent.objects.get().note == "of no purchase here"


def test_a_waiting_event_that_fails_does_not_stop_those_behind_it(
    pending: Purchase, caplog: pytest.LogCaptureFixture
) -> None:
    broken, good = paid_event(pending), paid_event(pending)
    del broken["data"]
    for number, payload in enumerate((broken, good)):
        ProviderEvent.objects.create(
            provider="stripe",
            event_id=f"evt_{number}",
            kind="checkout.session.completed",
            payload=payload,
            outcome="waiting",
        )
    assert retry_waiting() == 1
    assert Entitlement.objects.get().purchase == pending
    assert "waiting event" in caplog.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"amount_total": 249_999}, "asks for 250000 USD (minor units), the payment brings 249999"),
        ({"amount_total": 250_001}, "the payment brings 250001 USD"),
        ({"amount_total": 0}, "the payment brings 0 USD"),
        ({"currency": "eur"}, "the payment brings 250000 EUR"),
        ({"currency": None}, "the payment brings 250000 NONE"),
        ({"amount_total": None}, "amount_total: None is no whole number"),
        ({"amount_total": "250000"}, "amount_total: '250000' is no whole number"),
        ({"amount_total": 250_000.0}, "amount_total: 250000.0 is no whole number"),
        ({"amount_total": True}, "amount_total: True is no whole number"),
        ({"invoice": None, "id": None}, "names neither an invoice nor itself"),
        ({"invoice": {"id": "in_1"}}, "names neither an invoice nor itself"),
    ],
)
def test_money_that_is_not_the_price_is_held_and_opens_no_door(
    pending: Purchase, wrong: dict[str, Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert outcome_of(send(paid_event(pending, **wrong))) == "held"
    assert said in ProviderEvent.objects.get().note
    assert "event evt_1 is held" in caplog.text
    assert nothing_opened()
    pending.refresh_from_db()
    assert pending.state == Purchase.State.PENDING


@pytest.mark.parametrize("step", ["enter_charge", "issue_buyer_receipt", "enqueue"])
def test_a_failure_in_the_middle_leaves_no_row_and_the_next_try_succeeds(
    pending: Purchase, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts = Receipt.objects.count()
    with monkeypatch.context() as broken:
        broken.setattr(f"entitlements.completion.{step}", fail)
        assert deliver(paid_event(pending)).status_code == 500
    assert nothing_opened()
    assert not ProviderEvent.objects.exists()
    assert Receipt.objects.count() == receipts
    assert send(paid_event(pending)).json() == {"outcome": "applied"}


def fail(*args: object, **kwargs: object) -> None:
    raise RuntimeError("in the middle")


def deliver(event: dict[str, Any]) -> Any:
    """Post an event to a server whose errors are answers, as the provider's courier does."""
    return send(event, client=Client(raise_request_exception=False))


def test_no_secret_is_in_any_log(
    provider: Provider, pending: Purchase, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider.pay(start_checkout(pending))
    send(provider.event())
    send(provider.event(), secret="whsec_other")
    Client().post(WEBHOOK, {}, content_type="application/json")
    deliver(paid_event(pending, amount_total=1) | {"id": "evt_2"})
    assert "Request to Stripe api" in caplog.text
    assert "Bad Request: /webhooks/stripe/" in caplog.text
    for secret in (API_KEY, WEBHOOK_SECRET, "whsec_", "v1=", "Bearer"):
        assert secret not in caplog.text
