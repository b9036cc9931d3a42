"""Signing in, and signing the licence."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from demo.walkthrough.proof import prove

if TYPE_CHECKING:
    from demo.walkthrough.browser import Browser, Page
    from demo.walkthrough.journey import Journey

MARKS = ("authority", "redistribution", "resale", "traceability", "responsibility", "consent")
SIGNER = {
    "legal_name": "Northwind Inference GmbH",
    "registration_number": "HRB 100200",
    "country": "DE",
    "address": "Speicherstrasse 1, 20457 Hamburg",
    "signer_name": "Bea Buyer",
    "signer_title": "Chief Technology Officer",
}


def sign_in(browser: Browser, *, email: str, password: str) -> Page:
    """Sign in through the login page."""
    page = browser.get("/accounts/login/")
    return browser.send(page, page.form(having="login"), login=email, password=password)


def buyer_signs_in(journey: Journey) -> None:
    """A wrong password does not, the right one does."""
    buyer = journey.accounts["buyer"]
    sign_in(journey.buyer, email=buyer["email"], password="a guess")  # noqa: S106 - meant to fail
    refused = journey.buyer.get("/account/")
    prove(refused.path == "/accounts/login/", "a wrong password leaves the account closed")
    page = sign_in(journey.buyer, **buyer)
    prove(page.path == "/account/", f"{buyer['email']} is signed in", found=page.url)


def unsigned_cannot_buy(journey: Journey) -> None:
    """Paying comes after signing."""
    page = journey.buyer.get(f"{journey.package_path}buy/")
    prove(page.path == _address(journey), "buying without a signature leads to the licence")


def licence_starts_unset(journey: Journey) -> None:
    """No box is ticked for the buyer, and each sentence is part of the text."""
    page = journey.buyer.get(_address(journey))
    form = page.form(having="signer_name")
    boxes = set(MARKS)
    prove(boxes <= form.names, "authority, four affirmations and consent, each its own control")
    prove(not boxes & form.values.keys(), "each starts unset")
    prove(len(form.values["terms_sha256"]) == 64, "the form carries the digest of the text read")


def each_affirmation_is_needed(journey: Journey) -> None:
    """One left out, and nothing is signed."""
    for missing in MARKS:
        page = _sign(journey, **{missing: False})
        refused = page.status == HTTPStatus.BAD_REQUEST and page.path == _address(journey)
        prove(refused, f"without {missing}: refused", found=f"{page.status} {page.url}")
    unsigned_cannot_buy(journey)


def other_terms_are_not_signed(journey: Journey) -> None:
    """Who read another text than the one that holds reads again."""
    page = _sign(journey, terms_sha256="0" * 64)
    prove(page.path == _address(journey), "a signature under another text is not stored")
    unsigned_cannot_buy(journey)


def licence_is_signed(journey: Journey) -> None:
    """Everything given, the licence is signed and buying opens."""
    summary = _sign(journey)
    shown = all(each in summary.text for each in (SIGNER["legal_name"], SIGNER["signer_name"]))
    prove(shown, "a summary says who signs for whom", found=summary.text[:300])
    unsigned_cannot_buy(journey)
    page = journey.buyer.send(summary, summary.form(having="seen"))
    prove(
        page.path == f"{journey.package_path}buy/",
        "signed; the next page is buying",
        found=page.url,
    )
    journey.signed_path = page.response.url


def _sign(journey: Journey, **changed: str | bool) -> Page:
    page = journey.buyer.get(_address(journey))
    marks: dict[str, str | bool] = dict.fromkeys(MARKS, True)
    answers = {**SIGNER, **marks, **changed}
    return journey.buyer.send(page, page.form(having="signer_name"), **answers)


def _address(journey: Journey) -> str:
    return f"{journey.package_path}licence/"
