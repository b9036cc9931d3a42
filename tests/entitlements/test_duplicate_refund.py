"""A second payment for a paid purchase goes back to the buyer, through the outbox, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from entitlements.doors import closed_because
from entitlements.entering import kept_minor
from entitlements.models import Entitlement, Hold, Outbox, Payment, Purchase
from entitlements.outbox import run_due
from entitlements.refunds import request_refund
from entitlements.stripe.checkout import start_checkout
from tests.provider import Provider, paid_event, send
from tests.sandbox.conftest import advance


@pytest.fixture
def paid_twice(provider: Provider, pending: Purchase) -> Purchase:
    """A purchase paid in its own session, then in a second one; the mail is sent."""
    provider.pay(start_checkout(pending))
    assert send(provider.event()).json() == {"outcome": "applied"}
    run_due()
    provider.pay_amount(pending.pk, 250_000)
    assert send(provider.event()).json() == {"outcome": "applied"}
    return pending


def do_again() -> None:
    """Let the worker take the refund once more, as after a crash before its commit."""
    Outbox.objects.filter(kind="refund").update(
        done_at=None, due_at=timezone.now() - timedelta(seconds=1)
    )
    assert run_due() == 1


def test_the_second_payment_is_handed_back_at_the_provider(
    provider: Provider, paid_twice: Purchase
) -> None:
    assert provider.refunds() == []
    assert run_due() == 1
    (refund,) = provider.refunds()
    assert (refund.amount, refund.currency, refund.status) == (250_000, "usd", "succeeded")
    newest, first = provider.client.v1.charges.list().data
    assert refund.charge == newest.id
    assert (newest.refunded, first.refunded) == (True, False)


def test_the_ledger_says_so_and_the_door_stays_open(
    provider: Provider, paid_twice: Purchase
) -> None:
    run_due()
    row = Payment.objects.get(kind="refund")
    assert (row.amount_minor, row.reference) == (-250_000, provider.refunds()[0].id)
    assert row.recorded_by == "outbox: refund"
    assert kept_minor(paid_twice.entitlement.payment) == 250_000
    assert not Hold.objects.exists()
    entitlement = Entitlement.objects.get()
    assert closed_because(entitlement=entitlement, version=entitlement.version) == ""


def test_run_twice_it_refunds_once(provider: Provider, paid_twice: Purchase) -> None:
    run_due()
    do_again()
    assert len(provider.refunds()) == Payment.objects.filter(kind="refund").count() == 1


def test_a_crash_between_provider_and_ledger_refunds_once(
    provider: Provider, paid_twice: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("entitlements.outbox_handlers.track_refund", None)
        run_due()
    assert len(provider.refunds()) == 1
    assert not Payment.objects.filter(kind="refund").exists()
    do_again()
    assert len(provider.refunds()) == Payment.objects.filter(kind="refund").count() == 1


def test_asked_again_when_the_provider_has_forgotten_the_key_it_refunds_once(
    provider: Provider, paid: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge = paid.entitlement.payment
    request_refund(charge=charge, amount_minor=5_000, why="a test", requested_by="desk")
    with monkeypatch.context() as broken:
        broken.setattr("entitlements.outbox_handlers.track_refund", None)
        run_due()
    advance(provider.server, 2 * 86_400)
    do_again()
    assert [each.amount for each in provider.refunds()] == [5_000]
    assert Payment.objects.get(kind="refund").amount_minor == -5_000


def test_a_silent_provider_is_asked_again_later(
    provider: Provider, paid_twice: Purchase, settings: Any
) -> None:
    there, settings.STRIPE_API_BASE = settings.STRIPE_API_BASE, "http://127.0.0.1:9"
    run_due()
    row = Outbox.objects.get(kind="refund")
    assert row.done_at is None
    assert row.last_error.startswith("APIConnectionError")
    settings.STRIPE_API_BASE = there
    do_again()
    assert len(provider.refunds()) == 1


def test_a_reference_that_the_provider_does_not_know_stays_for_people(
    provider: Provider, pending: Purchase
) -> None:
    for number in (1, 2):
        event = paid_event(pending, invoice=f"in_{number}") | {"id": f"evt_{number}"}
        assert send(event).json() == {"outcome": "applied"}
    run_due()
    row = Outbox.objects.get(kind="refund")
    assert row.done_at is None
    assert "in_2" in row.last_error
    assert not Payment.objects.filter(kind="refund").exists()
