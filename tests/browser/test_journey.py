"""The buyer's whole journey in Chromium, from the catalogue to the verified bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from touchstone.verifying import verify_kit

from catalog.models import PackageVersion
from entitlements.models import Download, Payment, ProviderEvent, Purchase
from licensing.models import LicenceSignature, LicenceTerms, User
from tests.browser import buyer
from tests.browser.conftest import Watched
from tests.sandbox.conftest import until

pytestmark = pytest.mark.browser
# Chromium calls the page of a refused form a resource that failed.
REFUSED_CARD = re.compile("status of 402")


@pytest.fixture
def shop(owner: User, published: PackageVersion, terms: LicenceTerms) -> PackageVersion:
    """The sample package with its terms, and a buyer who has named no entity yet."""
    return published


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_buyer_comes_from_the_catalogue_to_the_verified_bytes(
    opened: Callable[..., Watched],
    shop: PackageVersion,
    terms: LicenceTerms,
    tmp_path: Path,
    scripts: bool,
) -> None:
    window = opened(java_script_enabled=scripts)
    page = window.page
    buyer.open_package(page)
    shown = buyer.shown_digest(page, "Kit, SHA-256")
    receipt, keys = buyer.fetched(page, "receipt.json"), buyer.fetched(page, "Signing keys")

    page.get_by_role("link", name="Read and sign the licence").click()
    buyer.sign_in(page)
    expect(page.get_by_role("region", name="Full terms")).to_have_text(terms.text)
    assert not any(box.is_checked() for box in page.get_by_role("checkbox").all())
    buyer.sign_licence(page)

    buyer.go_to_payment(page)
    buyer.pay(page, buyer.DECLINED)
    expect(page.get_by_text("declined", exact=False).first).to_be_visible()
    assert not Payment.objects.exists()
    buyer.pay(page, buyer.PAYING)
    expect(page).to_have_url(buyer.PURCHASE)

    page.get_by_role("link", name="Account").click()
    page.get_by_role("link", name=shop.kit_name).click()
    kit = buyer.download(page, tmp_path)
    assert kit.name == shop.kit_name
    assert buyer.sha256(kit) == shown
    report = verify_kit(kit=kit, receipt=receipt, keys=keys)
    assert report.outcome == "holds", report.as_text()
    assert [text for text in window.complaints if not REFUSED_CARD.search(text)] == []
    _was_entered_once(terms)


def _was_entered_once(terms: LicenceTerms) -> None:
    """What the return page and the provider's events made of the journey."""
    signature = LicenceSignature.objects.get()
    assert (signature.entity_legal_name, signature.terms) == ("Meridian Labs GmbH", terms)
    until(lambda: ProviderEvent.objects.filter(kind="checkout.session.completed").exists())
    assert Purchase.objects.get().state == Purchase.State.PAID
    assert Payment.objects.count() == 1
    until(lambda: Download.objects.filter(event=Download.Event.COMPLETED).exists())


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_return_page_moves_on_by_itself_once_the_payment_arrives(
    opened: Callable[..., Watched], pending: Purchase, owner: User, scripts: bool
) -> None:
    window = opened(owner, java_script_enabled=scripts)
    waiting = window.context.new_page()
    window.page.goto(pending.get_absolute_url())
    window.page.get_by_role("button", name="Go to payment").click()
    waiting.goto(f"{pending.get_absolute_url()}return/")
    expect(waiting.get_by_role("heading", level=1)).to_have_text("Your payment is being processed")
    buyer.pay(window.page, buyer.PAYING)
    expect(waiting).to_have_url(buyer.PURCHASE)
    expect(waiting.get_by_role("button", name="Get a download link")).to_be_visible()
    assert window.complaints == []
