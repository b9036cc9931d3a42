"""To the payment page: one session a purchase, whatever is clicked, and nothing lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from entitlements.models import Payment, Purchase
from entitlements.stripe.checkout import start_checkout
from licensing.models import LicenceSignature, User
from tests.people import signed_in
from tests.provider import Provider
from tests.sandbox.conftest import DECLINED, control
from tests.threads import at_once


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


@pytest.fixture
def buy(signature: LicenceSignature) -> dict[str, Any]:
    """The arguments of the post that buys with the owner's signature."""
    return {
        "path": f"/packages/{signature.package.slug}/buy/",
        "data": {"signature": str(signature.pk), "purchase_order": "PO-7"},
    }


def pay_path(purchase: Purchase) -> str:
    return f"/account/purchases/{purchase.pk}/pay/"


def test_buying_leads_to_a_session_with_what_was_agreed(
    provider: Provider, browser: Client, buy: dict[str, Any], signature: LicenceSignature
) -> None:
    response = browser.post(**buy)
    (session,), purchase = provider.sessions(), Purchase.objects.get()
    assert (response.status_code, response["Location"]) == (303, session.url)
    assert (session.amount_total, session.currency) == (250_000, "usd")
    assert session.client_reference_id == str(purchase.pk)
    assert session.metadata is not None
    assert session.metadata.to_dict() == {
        "purchase": str(purchase.pk),
        "purpose": "purchase",
        "signature": str(signature.pk),
        "terms_sha256": signature.terms_sha256,
        "version": purchase.version.version,
        "purchase_order": "PO-7",
    }
    assert purchase.checkout_session == session.id


def test_price_and_first_month_are_two_lines_of_one_payment(
    provider: Provider, pending: Purchase
) -> None:
    start_checkout(pending)
    (session,) = provider.sessions()
    lines = provider.client.v1.checkout.sessions.line_items.list(session.id).data
    asked = [(line.amount_total, line.price and line.price.type) for line in lines]
    assert sorted(asked) == [(20_000, "recurring"), (230_000, "one_time")]


def test_the_session_leads_back_to_this_purchase(
    provider: Provider, pending: Purchase, settings: Any
) -> None:
    start_checkout(pending)
    (session,) = provider.sessions()
    page = f"{settings.SITE_URL}/account/purchases/{pending.pk}/"
    assert session.success_url == f"{page}return/?session_id={{CHECKOUT_SESSION_ID}}"
    assert session.cancel_url == page


def test_a_second_click_reuses_the_open_session(
    provider: Provider, browser: Client, pending: Purchase
) -> None:
    first, second = browser.post(pay_path(pending)), browser.post(pay_path(pending))
    assert first["Location"] == second["Location"]
    assert len(provider.sessions()) == 1


def test_the_buy_button_clicked_twice_leads_to_the_same_page(
    provider: Provider, browser: Client, buy: dict[str, Any]
) -> None:
    first, second = browser.post(**buy), browser.post(**buy)
    assert (second.status_code, second["Location"]) == (303, first["Location"])
    assert Purchase.objects.count() == len(provider.sessions()) == 1


def test_back_on_the_buy_page_a_begun_purchase_is_offered_not_a_second_licence(
    browser: Client, buy: dict[str, Any], pending: Purchase
) -> None:
    assert browser.get(buy["path"])["Location"] == pending.get_absolute_url()


def test_a_signature_that_has_bought_cannot_be_bought_with_again(
    provider: Provider, browser: Client, buy: dict[str, Any], bought: Purchase
) -> None:
    assert browser.post(**buy)["Location"] == bought.get_absolute_url()
    assert provider.sessions() == []


@pytest.mark.django_db(transaction=True)
def test_clicks_at_the_same_moment_open_one_session(provider: Provider, pending: Purchase) -> None:
    addresses: list[str] = []
    raised = at_once(*[lambda: addresses.append(start_checkout(pending))] * 4)
    assert raised == []
    assert len(set(addresses)) == len(provider.sessions()) == 1


def test_an_expired_session_is_replaced(
    provider: Provider, browser: Client, pending: Purchase
) -> None:
    browser.post(pay_path(pending))
    (expired,) = provider.sessions()
    provider.client.v1.checkout.sessions.expire(expired.id)
    response = browser.post(pay_path(pending))
    newest = provider.sessions()[0]
    assert newest.id != expired.id
    assert response["Location"] == newest.url
    pending.refresh_from_db()
    assert pending.checkout_session == newest.id


def test_a_declined_card_leaves_the_session_open_for_another(
    provider: Provider, browser: Client, pending: Purchase
) -> None:
    address = browser.post(pay_path(pending))["Location"]
    assert provider.pay(address, DECLINED) == 402
    assert browser.post(pay_path(pending))["Location"] == address
    assert not Payment.objects.exists()
    assert provider.pay(address) == 303


def test_a_session_that_was_paid_is_not_opened_again(
    provider: Provider, browser: Client, pending: Purchase
) -> None:
    provider.pay(browser.post(pay_path(pending))["Location"])
    back = browser.post(pay_path(pending))["Location"]
    assert back.startswith(f"http://127.0.0.1:8000/account/purchases/{pending.pk}/return/")
    assert browser.get(back)["Location"] == pending.get_absolute_url()
    assert browser.post(pay_path(pending))["Location"] == pending.get_absolute_url()
    assert len(provider.sessions()) == len(provider.client.v1.charges.list().data) == 1


def test_an_engineer_is_told_who_pays_and_nothing_is_opened(
    provider: Provider, pending: Purchase, team_mate: User
) -> None:
    browser = signed_in(team_mate)
    response = browser.post(pay_path(pending))
    assert response.status_code == 403
    assert "Owners and signers of Meridian Labs GmbH pay for it" in response.text
    assert pay_path(pending) not in browser.get(pending.get_absolute_url()).text
    assert provider.sessions() == []


def test_an_error_of_the_providers_own_does_not_lock_the_purchase(
    provider: Provider, pending: Purchase
) -> None:
    """Stripe repeats a 500 under its idempotency key for a day."""
    # As often as the SDK repeats it by itself.
    fault = {"mode": "500", "times": 3, "method": "POST", "path": "/v1/checkout/sessions"}
    control(provider.server, "POST", "/faults", fault)
    address = start_checkout(pending)
    assert control(provider.server, "GET", "/faults")["armed"] == []
    assert provider.pay(address) == 303


def test_a_corrected_purchase_order_closes_the_page_with_the_old_one(
    provider: Provider, browser: Client, buy: dict[str, Any]
) -> None:
    browser.post(**buy)
    buy["data"]["purchase_order"] = "PO-8"
    assert browser.post(**buy).status_code == 303
    newest, first = provider.sessions()
    assert (first.status, newest.status) == ("expired", "open")
    assert newest.metadata is not None
    assert newest.metadata["purchase_order"] == "PO-8"


def test_who_is_not_a_member_cannot_pay_for_it(
    provider: Provider, pending: Purchase, outsider: User
) -> None:
    assert signed_in(outsider).post(pay_path(pending)).status_code == 404
    assert provider.sessions() == []


@pytest.mark.parametrize("key", ["", "sk_test_shop"], ids=["not configured", "silent"])
def test_without_the_provider_the_page_says_so_and_the_purchase_stays(
    browser: Client, buy: dict[str, Any], settings: Any, key: str
) -> None:
    settings.STRIPE_SECRET_KEY = key
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"
    response = browser.post(**buy)
    purchase = Purchase.objects.get()
    assert response.status_code == 503
    assert "Nothing was charged; please try again" in response.content.decode()
    assert pay_path(purchase) in response.content.decode()
    assert (purchase.state, purchase.purchase_order) == ("pending", "PO-7")


def test_when_the_provider_is_back_the_same_purchase_is_paid(
    provider: Provider, browser: Client, pending: Purchase, settings: Any
) -> None:
    there, settings.STRIPE_API_BASE = settings.STRIPE_API_BASE, "http://127.0.0.1:9"
    assert browser.post(pay_path(pending)).status_code == 503
    settings.STRIPE_API_BASE = there
    address = browser.post(pay_path(pending))["Location"]
    assert provider.pay(address) == 303
