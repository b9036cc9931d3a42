"""Delayed payments over HTTP: nothing opens before the money, and a failure can be paid again."""

from __future__ import annotations

import pytest
from django.core import mail
from django.test import Client

from entitlements.models import Payment, Purchase
from entitlements.outbox import run_due
from entitlements.stripe.checkout import start_checkout
from licensing.models import User
from tests.courier import Courier
from tests.people import signed_in
from tests.provider import Provider
from tests.sandbox.conftest import DAY, advance, pay

COMPLETED = "checkout.session.completed"


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


def debit(pending: Purchase, account: str) -> None:
    """Pay by a bank debit that works or fails."""
    status, _, _ = pay(start_checkout(pending), method="us_bank_account", account=account)
    assert status == 303
    pending.refresh_from_db()


def test_nothing_opens_until_the_money_has_arrived(
    provider: Provider, courier: Courier, pending: Purchase, browser: Client
) -> None:
    debit(pending, "works")
    assert courier.deliver(COMPLETED) == {COMPLETED: ["ignored"]}
    page = browser.get(f"/account/purchases/{pending.pk}/return/")
    assert (page.status_code, Payment.objects.exists()) == (200, False)
    advance(provider.server, 5 * DAY)
    assert courier.deliver("checkout.session.async_payment_succeeded", "invoice.paid") == {
        "checkout.session.async_payment_succeeded": ["applied"],
        "invoice.paid": ["applied"],
    }
    assert Payment.objects.get().purchase == pending


def test_while_it_is_on_its_way_no_second_payment_page_opens(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    debit(pending, "works")
    assert f"/account/purchases/{pending.pk}/return/" in start_checkout(pending)
    assert len(provider.sessions()) == 1


def test_after_a_failure_the_buyer_is_told_once_and_pays_again(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    debit(pending, "fails")
    advance(provider.server, 5 * DAY)
    courier.deliver()
    run_due()
    assert [each.subject for each in mail.outbox] == ["The payment of kimi-k3-8xb300 failed"]
    (subscription,) = provider.client.v1.subscriptions.list({"status": "all"}).data
    assert subscription.status in ("canceled", "incomplete_expired")
    address = start_checkout(pending)
    assert len(provider.sessions()) == 2
    assert provider.pay(address) == 303
    courier.deliver()
    assert Payment.objects.get().purchase == pending


def test_a_session_that_expired_is_followed_by_another(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    first = start_checkout(pending)
    advance(provider.server, 25 * 3600)
    kind = "checkout.session.expired"
    assert courier.deliver(kind) == {kind: ["ignored"]}
    pending.refresh_from_db()
    assert start_checkout(pending) != first
