"""Every page of the buyer's at four widths, in light and dark, and what it asks of whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from playwright.sync_api import Page

from entitlements.models import Purchase
from licensing.models import LicenceTerms, User
from licensing.signing import EntityDetails
from tests.browser.conftest import Watched
from tests.licensing.parties import invitation_to
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
    invitation_to(bought.entity, "nia@meridian.example", by=owner)
    invitation_to(signature.entity, owner.email, by=owner, token="mine")
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
        bought.entity.get_absolute_url(),
        signature.entity.get_absolute_url(),
        f"{signature.entity.get_absolute_url()}edit/",
        "/account/invitations/mine/",
    ]


SIGNED_OUT = ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")


def too_wide(page: Page, address: str) -> list[str]:
    """Where a page can be scrolled sideways."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 300})
            if extra := page.evaluate(TOO_WIDE):
                found.append(f"{address} at {width}, {scheme}: {extra} px too wide")
    return found


def look_at(window: Watched, addresses: Iterable[str]) -> list[str]:
    """What is wrong with the pages: too wide, or anything that a quiet page would not do."""
    found = []
    for address in addresses:
        answer = window.page.goto(address)
        assert answer is not None, address
        assert answer.status == 200, address
        found += too_wide(window.page, address)
    return found + window.complaints


def test_an_owners_pages_scroll_down_only_complain_of_nothing_and_ask_the_store_alone(
    opened: Callable[..., Watched], addresses: list[str], bought: Purchase, owner: User
) -> None:
    window = opened(owner)
    assert look_at(window, addresses) == []
    window.page.goto(bought.get_absolute_url())
    window.page.get_by_role("button", name="Get a download link").click()
    assert too_wide(window.page, "the purchase with its link") == []


def test_a_strangers_pages_do_so_too_and_each_scheme_has_its_own_paper(
    opened: Callable[..., Watched],
) -> None:
    window = opened()
    assert look_at(window, SIGNED_OUT) == []
    papers = []
    for scheme in ("light", "dark"):
        window.page.emulate_media(color_scheme=scheme)
        colour = window.page.evaluate(BACKGROUND)
        papers.append([int(each) for each in re.findall(r"\d+", colour)])
    light, dark = papers
    assert min(light) > 192
    assert max(dark) < 64
