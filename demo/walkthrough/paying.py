"""Buying: the provider's page, a card that is declined, and one that pays."""

from __future__ import annotations

import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from demo.walkthrough.proof import prove

if TYPE_CHECKING:
    from demo.walkthrough.browser import Page
    from demo.walkthrough.journey import Journey

DECLINED = "4000 0000 0000 0002"
PAYING = "4242 4242 4242 4242"
PURCHASE = re.compile(r"^/account/purchases/[0-9a-f-]{36}/$")
SETTLING_SECONDS = 20


def buyer_pays(journey: Journey) -> None:
    """A declined card changes nothing; the next one opens the kit."""
    page = journey.buyer.get(journey.signed_path)
    checkout = journey.buyer.send(page, page.form(having="purchase_order"), purchase_order="PO-7")
    at_provider = checkout.url.startswith(journey.plan.sandbox_url)
    prove(at_provider, "buying leads to the provider's checkout", found=checkout.url)
    refused = journey.buyer.send(checkout, checkout.form(having="card"), card=DECLINED)
    declined = refused.status == HTTPStatus.PAYMENT_REQUIRED and "declin" in refused.text.lower()
    prove(declined, "a declining card is declined, and one may try again", found=refused.text)
    paid = journey.buyer.send(refused, refused.form(having="card"), card=PAYING)
    journey.purchase_path = _settled(journey, paid).path
    prove(True, "a paying card leads back to the kit")


def account_shows_one_kit(journey: Journey) -> None:
    """Return page and webhook together made one purchase, with its commands."""
    page = journey.buyer.get("/account/")
    purchases = {link for link in page.read.links if PURCHASE.match(link)}
    prove(purchases == {journey.purchase_path}, "the account lists one purchase", found=purchases)
    kit = journey.buyer.get(journey.purchase_path)
    prove("touchstone verify" in kit.text, "its page names the command that checks it")


def _settled(journey: Journey, page: Page) -> Page:
    """The purchase's page, once the return page has moved on."""
    deadline = time.monotonic() + SETTLING_SECONDS
    while not PURCHASE.match(page.path):
        prove_open = page.path.startswith("/account/purchases/") and time.monotonic() < deadline
        if not prove_open:
            prove(False, "the return page moves on to the purchase", found=page.url)
        time.sleep(0.5)
        page = journey.buyer.get(page.url)
    return page
