"""Prices at Stripe follow the definitions, and a purchase keeps the one it agreed to."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from catalog.models import PackageVersion
from entitlements.models import ProviderPrice, Purchase
from entitlements.stripe.checkout import start_checkout
from tests.provider import Provider
from tests.shop import next_version


def sync() -> str:
    out = io.StringIO()
    call_command("sync_prices", stdout=out)
    return out.getvalue()


def dearer(folder: Path) -> PackageVersion:
    """Publish a version whose one-time price is another."""
    path = folder / "package.yaml"
    text = path.read_text()
    assert "2300.00" in text
    path.write_text(text.replace("2300.00", "2500.00"))
    return next_version(folder)


def at_stripe(provider: Provider) -> dict[tuple[str, int], Any]:
    """Every price at Stripe, by product and amount."""
    listed = provider.client.v1.prices.list({"limit": 100}).data
    return {(str(each.product), each.unit_amount or 0): each for each in listed}


ONCE, MONTH = "touchstone-kimi-k3-8xb300-once", "touchstone-kimi-k3-8xb300-month"


def test_the_definitions_prices_are_made_once(
    provider: Provider, published: PackageVersion
) -> None:
    assert sync().count("\n") == 2
    assert sync() == "nothing to do: Stripe has every price\n"
    prices = at_stripe(provider)
    assert set(prices) == {(ONCE, 230_000), (MONTH, 20_000)}
    assert prices[MONTH, 20_000].recurring.interval == "month"
    assert prices[ONCE, 230_000].lookup_key == f"{ONCE}-usd"
    assert ProviderPrice.objects.filter(active=True).count() == 2


def test_checkout_asks_by_their_ids(provider: Provider, pending: Purchase) -> None:
    sync()
    start_checkout(pending)
    (session,) = provider.sessions()
    lines = provider.client.v1.checkout.sessions.line_items.list(session.id).data
    asked = {line.price.id for line in lines if line.price}
    assert asked == set(ProviderPrice.objects.values_list("reference", flat=True))
    assert session.amount_total == 250_000


def test_a_changed_price_is_a_new_one_and_the_former_stays_for_who_awaits_it(
    provider: Provider, pending: Purchase, package_folder: Path
) -> None:
    sync()
    dearer(package_folder)
    assert "stays until its purchases are paid" in sync()
    prices = at_stripe(provider)
    assert prices[ONCE, 250_000].lookup_key == f"{ONCE}-usd"
    assert prices[ONCE, 230_000].active
    start_checkout(pending)
    assert provider.sessions()[0].amount_total == 250_000
    Purchase.objects.all().delete()
    assert "archived" in sync()
    assert not at_stripe(provider)[ONCE, 230_000].active


def test_without_its_price_at_stripe_a_purchase_is_still_paid_at_its_own(
    provider: Provider, pending: Purchase, package_folder: Path
) -> None:
    dearer(package_folder)
    sync()
    assert not ProviderPrice.objects.filter(amount_minor=230_000).exists()
    assert provider.pay(start_checkout(pending)) == 303


def test_a_price_that_comes_back_is_the_one_that_was(
    provider: Provider, published: PackageVersion, package_folder: Path
) -> None:
    sync()
    first = ProviderPrice.objects.get(amount_minor=230_000).reference
    dearer(package_folder)
    sync()
    path = package_folder / "package.yaml"
    text = (
        path.read_text().replace("2500.00", "2300.00").replace("version: 1.1.0", "version: 1.0.0")
    )
    path.write_text(text)
    next_version(package_folder, version="1.2.0")
    sync()
    row = ProviderPrice.objects.get(amount_minor=230_000)
    assert (row.reference, row.active) == (first, True)
    assert at_stripe(provider)[ONCE, 230_000].lookup_key == f"{ONCE}-usd"
    assert not at_stripe(provider)[ONCE, 250_000].active


@pytest.mark.django_db
def test_without_a_key_it_says_so(settings: Any, published: PackageVersion) -> None:
    settings.STRIPE_SECRET_KEY = ""
    with pytest.raises(CommandError, match="STRIPE_SECRET_KEY"):
        sync()
