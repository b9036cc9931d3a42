"""Every page of the buyer's at four widths, in light and dark, and what it asks of whom."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from entitlements.models import Purchase
from licensing.models import LicenceTerms, User
from licensing.signing import EntityDetails
from tests.browser.conftest import Watched
from tests.shop import sign

pytestmark = pytest.mark.browser
WIDTHS = (390, 768, 1280, 1920)
LONG_NAME = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH"
# How far a page can be scrolled to the right, with everything on it unfolded.
TOO_WIDE = """() => {
  for (const each of document.querySelectorAll('details')) each.open = true;
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}"""
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def addresses(bought: Purchase, owner: User, terms: LicenceTerms) -> list[str]:
    """The pages of an owner who has bought once, and signed again for an entity of a long name."""
    package = f"/packages/{bought.package.slug}/"
    receipt = bought.version.benchmark_receipt
    assert receipt is not None
    long = EntityDetails(legal_name=LONG_NAME, country="AT", address=LONG_NAME)
    signature = sign(account=owner, version=bought.version, entity=long, terms=terms)
    return [
        "/",
        package,
        f"{package}licence/",
        f"{package}buy/?signature={signature.pk}",
        f"{package}card/",
        f"/receipts/{receipt.payload_sha256}/",
        "/account/",
        bought.get_absolute_url(),
        f"/account/signatures/{signature.pk}/",
    ]


SIGNED_OUT = ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")


def too_wide(page: Page, address: str) -> list[str]:
    """Where a page can be scrolled sideways."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if extra := page.evaluate(TOO_WIDE):
                found.append(f"{address} at {width}, {scheme}: {extra} px too wide")
    return found


def test_no_page_scrolls_sideways(
    opened: Callable[..., Watched], addresses: list[str], owner: User
) -> None:
    member, stranger = opened(owner).page, opened().page
    found: list[str] = []
    for page, its in ((member, addresses), (stranger, SIGNED_OUT)):
        for address in its:
            page.goto(address)
            found += too_wide(page, address)
    member.goto(addresses[-2])
    member.get_by_role("button", name="Get a download link").click()
    found += too_wide(member, "the purchase with its link")
    assert found == []


def test_no_page_complains_or_asks_anything_of_third_parties(
    opened: Callable[..., Watched], addresses: list[str], owner: User
) -> None:
    member, stranger = opened(owner), opened()
    for window, its in ((member, addresses), (stranger, SIGNED_OUT)):
        for address in its:
            answer = window.page.goto(address)
            assert answer is not None, address
            assert answer.status == 200, address
    assert member.complaints + stranger.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_scheme_has_a_paper_of_its_own(opened: Callable[..., Watched], scheme: str) -> None:
    page = opened(color_scheme=scheme).page
    page.goto("/accounts/login/")
    red = int(page.evaluate(BACKGROUND).removeprefix("rgb(").partition(",")[0])
    assert (red < 64) == (scheme == "dark")
