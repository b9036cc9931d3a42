"""A buyer who uses the keyboard alone signs, and comes to the payment page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from catalog.models import PackageVersion
from licensing.models import LicenceSignature, LicenceTerms, User
from tests.browser import buyer
from tests.browser.conftest import Watched

pytestmark = pytest.mark.browser
MOST_STOPS = 80
LICENCE = "/packages/kimi-k3-8xb300/licence/"
# What has the focus: its name, and whether a person sees that it has it.
FOCUSED = """() => {
  const at = document.activeElement, box = at.getBoundingClientRect();
  const look = getComputedStyle(at);
  const label = at.labels?.length ? at.labels[0] : at;
  return {
    on: at !== document.body,
    name: (at.ariaLabel || label.innerText || at.name).trim(),
    outline: look.outlineStyle !== 'none' ? parseFloat(look.outlineWidth) : 0,
    contrasts: look.outlineColor !== getComputedStyle(document.body).backgroundColor,
    onScreen: box.width > 0 && box.bottom > 0 && box.top < innerHeight
      && box.right > 0 && box.left < innerWidth,
  };
}"""


def stops(page: Page) -> Iterator[dict[str, Any]]:
    """Each place that Tab comes to, in order, until it leaves the page."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focused: dict[str, Any] = page.evaluate(FOCUSED)
        if not focused["on"]:
            return
        yield focused
    pytest.fail(f"Tab does not leave {page.url} after {MOST_STOPS} stops")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what is named has the focus."""
    passed = []
    for stop in stops(page):
        if stop["name"] == name:
            return
        passed.append(stop["name"])
    pytest.fail(f"Tab does not come to {name!r}, only to {passed}")


@pytest.fixture
def licence(
    opened: Callable[..., Watched], owner: User, published: PackageVersion, terms: LicenceTerms
) -> Page:
    """The licence's page, open to the owner, who has named no entity yet."""
    page = opened(owner).page
    page.goto(LICENCE)
    return page


def test_tab_comes_to_every_control_of_the_licence_in_order_and_shows_where_it_is(
    licence: Page,
) -> None:
    passed = list(stops(licence))
    assert [stop for stop in passed if not (stop["outline"] >= 2 and stop["contrasts"])] == []
    assert [stop["name"] for stop in passed if not stop["onScreen"]] == []
    wanted = [
        "Full terms",
        "Licensed entity",
        "Legal name",
        "Registration number",
        "Country of registration",
        "Registered address",
        "Tax number",
        "Your full name",
        "Your title",
        *buyer.MARKS,
        "Go on to the summary",
    ]
    assert [stop["name"] for stop in passed if stop["name"] in wanted] == wanted


def test_the_first_stop_skips_to_the_terms_and_keys_scroll_them(licence: Page) -> None:
    licence.keyboard.press("Tab")
    expect(licence.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    licence.keyboard.press("Enter")
    licence.keyboard.press("Tab")
    assert licence.evaluate(FOCUSED)["name"] == "Full terms"
    licence.keyboard.press("End")
    region = licence.get_by_role("region", name="Full terms")
    licence.wait_for_function("e => e.scrollTop > 200", arg=region.element_handle())
    # Chromium lets Tab into what scrolls by itself; other browsers need to be told.
    expect(region).to_have_attribute("tabindex", "0")


def test_the_licence_is_signed_and_paid_for_without_a_mouse(licence: Page) -> None:
    for label, text in buyer.ENTITY.items():
        if label == "Registered address":
            tab_to(licence, "Country of registration")
            licence.keyboard.type("Germany")
        tab_to(licence, label)
        licence.keyboard.type(text)
    tab_to(licence, "Your title")
    licence.keyboard.type(buyer.TITLE)
    for label in buyer.MARKS:
        tab_to(licence, label)
        licence.keyboard.press("Space")
    tab_to(licence, "Go on to the summary")
    licence.keyboard.press("Enter")
    expect(licence.get_by_role("heading", level=1)).to_have_text("What you are about to sign")
    assert not LicenceSignature.objects.exists()
    tab_to(licence, "Sign the licence")
    licence.keyboard.press("Enter")
    expect(licence.locator("[aria-current=step]")).to_have_text("2 Pay")
    assert LicenceSignature.objects.get().entity_country == "DE"

    tab_to(licence, "Go to payment")
    licence.keyboard.press("Enter")
    expect(licence.get_by_label("Card number")).to_be_visible()
