"""Maintenance in the buyer's hands, over HTTP: failed, cancelled, ended, and paid again."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from entitlements.models import MaintenancePeriod, Payment, Purchase, Subscription
from entitlements.outbox import run_due
from entitlements.stripe.checkout import start_checkout
from licensing.models import User
from tests.courier import Courier
from tests.people import signed_in
from tests.provider import Provider
from tests.sandbox.conftest import DAY, FAILING_LATER, advance
from tests.stripe_events import unix


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


def page(browser: Client, purchase: Purchase) -> str:
    return " ".join(browser.get(purchase.get_absolute_url()).text.split())


def post(browser: Client, purchase: Purchase, action: str) -> tuple[int, str]:
    response = browser.post(f"{purchase.get_absolute_url()}{action}/")
    return response.status_code, response.headers.get("Location", response.text)


def test_each_month_is_collected_and_extends_what_is_paid(
    provider: Provider, courier: Courier, paid: Purchase, browser: Client
) -> None:
    advance(provider.server, 63 * DAY)
    courier.deliver()
    periods = list(MaintenancePeriod.objects.order_by("starts_at"))
    assert len(periods) == 3
    assert [unix(one.ends_at) for one in periods[:-1]] == pytest.approx(
        [unix(next_.starts_at) for next_ in periods[1:]], abs=60
    )
    assert f"Paid until {periods[-1].ends_at:%Y-%m-%d}." in page(browser, paid)
    assert "$200 are collected each month." in page(browser, paid)


def test_a_card_that_fails_is_said_with_the_grace_and_then_paid(
    provider: Provider, courier: Courier, pending: Purchase, browser: Client
) -> None:
    provider.pay(start_checkout(pending), FAILING_LATER)
    advance(provider.server, 32 * DAY)
    courier.deliver()
    row = Subscription.objects.get()
    assert row.status == "past_due"
    assert f"The last payment failed. Until {row.grace_until:%Y-%m-%d}" in page(browser, pending)
    invoice = provider.client.v1.invoices.list({"status": "open"}).data[0]
    method = provider.client.v1.payment_methods.attach(
        "pm_card_visa", {"customer": str(invoice.customer)}
    )
    provider.client.v1.invoices.pay(str(invoice.id), {"payment_method": method.id})
    courier.deliver()
    assert (MaintenancePeriod.objects.count(), Subscription.objects.get().status) == (2, "active")
    assert "failed" not in page(browser, pending)


def test_the_portal_opens_for_the_entitys_customer(
    provider: Provider, paid: Purchase, browser: Client
) -> None:
    status, address = post(browser, paid, "portal")
    assert (status, address.split("/p/")[0]) == (303, provider.server.settings.base_url)


def test_cancelled_it_says_when_it_ends(
    provider: Provider, courier: Courier, paid: Purchase, browser: Client
) -> None:
    reference = Subscription.objects.get().reference
    provider.client.v1.subscriptions.update(reference, {"cancel_at_period_end": True})
    courier.deliver()
    ends = Subscription.objects.get().cancel_at
    assert f"Cancelled: it ends on {ends:%Y-%m-%d}" in page(browser, paid)
    assert "Renew maintenance" not in page(browser, paid)
    assert post(browser, paid, "renew")[0] == 409


def test_after_the_end_it_is_paid_again_and_nothing_is_bought_twice(
    provider: Provider, courier: Courier, paid: Purchase, browser: Client
) -> None:
    provider.client.v1.subscriptions.cancel(Subscription.objects.get().reference)
    courier.deliver()
    assert "The subscription has ended." in page(browser, paid)
    assert "Renew maintenance for $200 a month" in page(browser, paid)
    status, address = post(browser, paid, "renew")
    assert status == 303
    assert post(browser, paid, "renew") == (303, address)
    assert provider.pay(address) == 303
    said = courier.deliver()
    assert said["invoice.paid"] == ["applied"]
    assert said["checkout.session.completed"] == ["ignored"]
    run_due()
    assert (MaintenancePeriod.objects.count(), provider.refunds()) == (2, [])
    assert [row.status for row in Subscription.objects.order_by("id")] == ["canceled", "active"]
    assert "are collected each month" in page(browser, paid)
    advance(provider.server, 32 * DAY)
    courier.deliver()
    assert MaintenancePeriod.objects.count() == 3


def test_back_from_paying_again_the_page_asks_by_itself(
    provider: Provider, courier: Courier, paid: Purchase, browser: Client
) -> None:
    provider.client.v1.subscriptions.cancel(Subscription.objects.get().reference)
    courier.deliver()
    provider.pay(post(browser, paid, "renew")[1])
    session = provider.sessions()[0]
    back = f"{paid.get_absolute_url()}return/?session_id={session.id}"
    assert browser.get(back)["Location"] == paid.get_absolute_url()
    row = Payment.objects.get(reference=session.invoice)
    assert (row.amount_minor, row.recorded_by) == (20_000, "stripe: asked")


def test_what_was_refunded_is_not_renewed(
    provider: Provider, courier: Courier, paid: Purchase, browser: Client
) -> None:
    charge = provider.client.v1.charges.list().data[0]
    provider.client.v1.refunds.create({"charge": charge.id})
    courier.deliver()
    run_due()
    status, said = post(browser, paid, "renew")
    assert status == 409
    assert "Access is closed: refunded." in said


@pytest.mark.parametrize("action", ["portal", "renew"])
def test_a_silent_provider_is_said_on_the_page(
    provider: Provider, paid: Purchase, browser: Client, settings: Any, action: str
) -> None:
    Subscription.objects.update(status="canceled")
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"
    status, said = post(browser, paid, action)
    assert status == 503
    assert "does not answer just now" in said


def test_an_engineer_sees_no_button_and_is_refused(
    provider: Provider, paid: Purchase, team_mate: User
) -> None:
    browser = signed_in(team_mate)
    assert "Card, invoices and cancelling" not in page(browser, paid)
    assert [post(browser, paid, action)[0] for action in ("portal", "renew")] == [403, 403]
