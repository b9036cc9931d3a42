"""The store's own requests, answered by the sandbox, and by Stripe's test mode when a key is given.

STRIPE_TEST_KEY=sk_test_... adds the second. Only what a test may do there without a browser is
asked: a hosted page takes no payment from a program.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from catalog.models import PackageVersion
from entitlements.models import ProviderCustomer, ProviderPrice, Purchase
from entitlements.reconciling import find_differences
from entitlements.stripe.checkout import start_checkout
from entitlements.stripe.client import client
from tests.sandbox.conftest import API_KEY, running

KEY = os.environ.get("STRIPE_TEST_KEY", "")
ACCOUNTS = ["sandbox", *(["test mode"] if KEY.startswith(("sk_test_", "rk_test_")) else [])]


@pytest.fixture(params=ACCOUNTS)
def account(
    request: pytest.FixtureRequest, settings: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """The store is set to use one of them."""
    if request.param != "sandbox":
        settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = KEY, ""
        yield
        return
    nowhere = "http://127.0.0.1:9/webhooks/stripe/"
    with running(tmp_path_factory.mktemp("sandbox") / "sandbox.sqlite3", nowhere) as server:
        settings.STRIPE_SECRET_KEY = API_KEY
        settings.STRIPE_API_BASE = server.settings.base_url
        yield


def session_of(purchase: Purchase) -> Any:
    purchase.refresh_from_db()
    return client().v1.checkout.sessions.retrieve(
        purchase.checkout_session, {"expand": ["line_items"]}
    )


@pytest.mark.usefixtures("account")
def test_a_session_asks_for_the_price_and_the_first_month(pending: Purchase) -> None:
    address = start_checkout(pending)
    session = session_of(pending)
    assert (session.status, session.payment_status, session.url) == ("open", "unpaid", address)
    assert (session.amount_total, session.currency, session.mode) == (
        250_000,
        "usd",
        "subscription",
    )
    assert [line.amount_total for line in session.line_items.data] == [230_000, 20_000]
    assert session.client_reference_id == str(pending.pk)
    assert session.metadata.to_dict()["terms_sha256"] == pending.signature.terms_sha256


@pytest.mark.usefixtures("account")
def test_asked_again_it_is_the_same_and_after_its_end_another(pending: Purchase) -> None:
    first = start_checkout(pending)
    assert start_checkout(pending) == first
    client().v1.checkout.sessions.expire(session_of(pending).id)
    assert session_of(pending).status == "expired"
    assert start_checkout(pending) != first


@pytest.mark.usefixtures("account")
def test_the_entity_is_a_customer_with_its_tax_number(pending: Purchase) -> None:
    start_checkout(pending)
    known = client().v1.customers.retrieve(ProviderCustomer.objects.get().reference)
    assert known.name == pending.entity.legal_name
    numbers = client().v1.customers.tax_ids.list(known.id).data
    assert [(each.type, each.value) for each in numbers] == [("eu_vat", "DE123456789")]


@pytest.mark.usefixtures("account")
def test_the_definitions_prices_are_made_once(published: PackageVersion) -> None:
    call_command("sync_prices", verbosity=0)
    rows = list(ProviderPrice.objects.values_list("reference", flat=True))
    call_command("sync_prices", verbosity=0)
    assert list(ProviderPrice.objects.values_list("reference", flat=True)) == rows
    amounts = [client().v1.prices.retrieve(each).unit_amount for each in rows]
    assert sorted(each or 0 for each in amounts) == [20_000, 230_000]


@pytest.mark.usefixtures("account")
def test_what_is_not_paid_is_no_difference(pending: Purchase) -> None:
    start_checkout(pending)
    since = timezone.now() - timedelta(hours=1)
    ours = [each for each in find_differences(since=since) if str(pending.pk) in str(each)]
    assert ours == []
