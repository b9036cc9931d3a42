"""Who gets nothing: an outsider, a tampered link, a refunded buyer, an old link."""

from __future__ import annotations

import re
import secrets
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from demo.walkthrough.delivery import issue_link
from demo.walkthrough.proof import ProofError, prove
from demo.walkthrough.signing import sign_in

if TYPE_CHECKING:
    from pathlib import Path

    from demo.walkthrough.browser import Browser
    from demo.walkthrough.journey import Journey

OUTSIDER = "otto@outsider.example"
LINK_SECONDS = 20
MAIL_SECONDS = 10
CONFIRMATION = re.compile(r"https?://\S+/accounts/confirm-email/\S+")


def outsider_is_refused(journey: Journey) -> None:
    """Somebody with an account of their own, made as anyone makes one."""
    _sign_up(journey, password=secrets.token_urlsafe(12))
    account = journey.outsider.get("/account/")
    prove(account.path == "/account/", f"{OUTSIDER} signed up by mail and is signed in")
    prove(journey.purchase_path not in account.read.links, "their account lists no kit")
    version = journey.definition["version"]
    for address in (journey.purchase_path, f"{journey.purchase_path}{version}/buyer-receipt.json"):
        page = journey.outsider.get(address)
        prove(page.status == HTTPStatus.NOT_FOUND, f"{address}: 404", found=page.status)
    asked = journey.outsider.post(f"{journey.purchase_path}{version}/link/")
    prove(asked.status == HTTPStatus.NOT_FOUND, "a link is not issued to them", found=asked.status)


def tampered_link_is_refused(journey: Journey) -> None:
    """Any character of a link counts."""
    link = issue_link(journey)
    head, _, token = link.rpartition("/")
    other = "A" if token[2] != "A" else "B"
    page = journey.stranger.get(f"{head}/{token[:2]}{other}{token[3:]}")
    prove(page.status == HTTPStatus.NOT_FOUND, f"a changed link: {page.status}", found=page.text)


def refund_closes_an_issued_link(journey: Journey) -> None:
    """A link is true at the door, not when it was issued."""
    link = issue_link(journey)
    before = journey.stranger.get(link, Range="bytes=0-0")
    prove(before.status == HTTPStatus.PARTIAL_CONTENT, "a new link works", found=before.status)
    purchase = journey.purchase_path.rstrip("/").rpartition("/")[2]
    arguments = ("--reference", "re_walkthrough", "--reason", "the walkthrough's last step")
    refund = journey.manage("record_refund", purchase, *arguments)
    prove(refund.status == 0, f"refund recorded: {refund.last_line}", found=refund.said)
    after = journey.stranger.get(link)
    prove(after.status == HTTPStatus.FORBIDDEN, "the same link now: 403", found=after.status)
    prove("refund" in after.text.lower(), "and it says why", found=after.text)


def old_link_is_refused(journey: Journey) -> None:
    """A link lives for a short while; this instance's for twenty seconds."""
    time.sleep(max(0.0, journey.linked_at + LINK_SECONDS + 2 - time.monotonic()))
    page = journey.stranger.get(journey.first_link)
    prove(page.status == HTTPStatus.GONE, f"after {LINK_SECONDS} s: 410", found=page.status)


def _sign_up(journey: Journey, *, password: str) -> None:
    visitor: Browser = journey.outsider
    page = visitor.get("/accounts/signup/")
    form = page.form(having="password2")
    visitor.send(page, form, email=OUTSIDER, password1=password, password2=password)
    confirm = visitor.get(_confirmation(journey.plan.data / "mail"))
    visitor.send(confirm, confirm.form(action="/accounts/confirm-email/"))
    if visitor.get("/account/").path != "/account/":
        sign_in(visitor, email=OUTSIDER, password=password)


def _confirmation(folder: Path) -> str:
    """The address in the mail that confirms the outsider's own."""
    deadline = time.monotonic() + MAIL_SECONDS
    while time.monotonic() < deadline:
        for file in sorted(folder.glob("*")) if folder.exists() else ():
            text = file.read_text(errors="replace")
            if OUTSIDER in text and (found := CONFIRMATION.search(text)):
                return found.group()
        time.sleep(0.2)
    raise ProofError(f"no mail in {folder} lets {OUTSIDER} confirm the address")
