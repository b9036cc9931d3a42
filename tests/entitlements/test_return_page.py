"""Back from the provider: the page asks it, and settles or waits by itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from entitlements.models import Entitlement, Payment, Purchase
from entitlements.stripe.checkout import start_checkout
from licensing.models import User
from receipts.keys import create_key
from tests.people import signed_in
from tests.provider import Provider
from tests.shop import retire


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


@pytest.fixture
def payment_page(provider: Provider, pending: Purchase) -> str:
    """The address of an open session of the pending purchase."""
    address = start_checkout(pending)
    pending.refresh_from_db()
    return address


def return_path(purchase: Purchase) -> str:
    return f"/account/purchases/{purchase.pk}/return/"


def test_after_payment_the_page_settles_by_itself(
    provider: Provider, browser: Client, pending: Purchase, payment_page: str
) -> None:
    provider.pay(payment_page)
    response = browser.get(return_path(pending))
    assert (response.status_code, response["Location"]) == (302, pending.get_absolute_url())
    payment = Payment.objects.get()
    assert payment.reference == provider.sessions()[0].invoice
    assert (payment.amount_minor, payment.currency) == (250_000, "USD")
    assert payment.recorded_by == "stripe: asked"
    assert Entitlement.objects.get().purchase == pending


def test_asked_again_it_enters_nothing_more(
    provider: Provider, browser: Client, pending: Purchase, payment_page: str
) -> None:
    provider.pay(payment_page)
    for _ in range(3):
        assert browser.get(return_path(pending)).status_code == 302
    assert Payment.objects.count() == 1


def test_while_it_waits_the_page_asks_again_without_a_script(
    browser: Client, pending: Purchase, payment_page: str
) -> None:
    response = browser.get(return_path(pending))
    assert (response.status_code, response["Refresh"]) == (200, "3")
    assert "Your payment is being processed" in response.text
    assert "no-store" in response["Cache-Control"]
    assert not Payment.objects.exists()


@pytest.mark.parametrize("base", ["http://127.0.0.1:9", None], ids=["silent", "not configured"])
def test_a_provider_that_is_silent_loses_no_payment(
    provider: Provider,
    browser: Client,
    pending: Purchase,
    payment_page: str,
    settings: Any,
    base: str | None,
) -> None:
    provider.pay(payment_page)
    there, key = settings.STRIPE_API_BASE, settings.STRIPE_SECRET_KEY
    settings.STRIPE_API_BASE, settings.STRIPE_SECRET_KEY = base or there, base and key
    response = browser.get(return_path(pending))
    assert (response.status_code, response["Refresh"]) == (200, "3")
    settings.STRIPE_API_BASE, settings.STRIPE_SECRET_KEY = there, key
    assert browser.get(return_path(pending))["Location"] == pending.get_absolute_url()


def test_before_any_session_there_is_nothing_to_ask(
    provider: Provider, browser: Client, pending: Purchase
) -> None:
    assert browser.get(return_path(pending)).status_code == 200
    assert not Payment.objects.exists()


def test_another_sessions_id_in_the_address_changes_nothing(
    provider: Provider, browser: Client, pending: Purchase, payment_page: str
) -> None:
    provider.pay_amount(pending.pk, 250_000)
    paid = provider.sessions()[0]
    assert paid.payment_status == "paid"
    response = browser.get(return_path(pending), {"session_id": paid.id})
    assert response.status_code == 200
    assert not Payment.objects.exists()


def test_an_amount_that_is_not_the_price_is_said_and_opens_nothing(
    provider: Provider, browser: Client, pending: Purchase
) -> None:
    provider.pay_amount(pending.pk, 249_999)
    pending.checkout_session = provider.sessions()[0].id
    pending.save()
    response = browser.get(return_path(pending))
    assert "The amount that arrived is not the price" in response.text
    assert "Refresh" not in response
    assert not Payment.objects.exists()


def test_the_page_is_for_the_entitys_members(
    provider: Provider, pending: Purchase, payment_page: str, team_mate: User, outsider: User
) -> None:
    provider.pay(payment_page)
    path = return_path(pending)
    assert Client().get(path)["Location"].startswith("/accounts/login/")
    assert signed_in(outsider).get(path).status_code == 404
    assert signed_in(team_mate).post(path).status_code == 405
    assert not Payment.objects.exists()
    assert signed_in(team_mate).get(path)["Location"] == pending.get_absolute_url()


def test_without_a_key_for_buyer_receipts_the_page_waits_and_then_settles(
    provider: Provider, browser: Client, pending: Purchase, payment_page: str
) -> None:
    provider.pay(payment_page)
    retire("buyer")
    response = browser.get(return_path(pending))
    assert (response.status_code, response["Refresh"]) == (200, "3")
    assert not Payment.objects.exists()
    create_key(purpose="buyer")
    assert browser.get(return_path(pending))["Location"] == pending.get_absolute_url()
