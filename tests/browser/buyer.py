"""What a buyer does with a browser, in the order of the journey."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from playwright.sync_api import Page, expect

PAYING, DECLINED = "4242 4242 4242 4242", "4000 0000 0000 0002"
MARKS = (
    "Authority to bind",
    "No redistribution",
    "No resale",
    "Traceability of copies",
    "Responsibility for people and contractors",
    "Electronic records and signature",
)
ENTITY = {
    "Legal name": "Meridian Labs GmbH",
    "Registration number": "HRB 12345",
    "Registered address": "Hauptstrasse 1, 10115 Berlin",
}
TITLE = "Chief Technology Officer"
PATIENCE_MS = 10_000
PURCHASE = re.compile(r"/account/purchases/[0-9a-f-]{36}/$")


def open_package(page: Page) -> None:
    """From the catalogue to the page of the only package."""
    page.goto("/")
    page.locator("article.card h2 a").click()
    expect(page).to_have_url(re.compile(r"/packages/kimi-k3-8xb300/$"))


def shown_digest(page: Page, term: str) -> str:
    """The digest that the card shows under a term."""
    row = page.locator("article.card dl.facts > div").filter(has_text=term)
    return row.locator("dd").inner_text().strip()


def sign_in(page: Page) -> None:
    """From the licence that a stranger reads to the same page as the buyer."""
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    page.get_by_label("Email").fill("ada@meridian.example")
    page.get_by_label("Password").fill("a long pass phrase")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(r"/licence/$"))


def sign_licence(page: Page) -> None:
    """Name the entity, affirm each sentence, sign."""
    for label, text in ENTITY.items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("Country of registration").select_option(label="Germany")
    page.get_by_label("Your title").fill(TITLE)
    for label in MARKS:
        page.get_by_label(label, exact=True).check()
    page.get_by_role("button", name="Go on to the summary").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What you are about to sign")
    page.get_by_role("button", name="Sign the licence").click()
    expect(page.locator("[aria-current=step]")).to_have_text("2 Pay")


def go_to_payment(page: Page) -> None:
    """From the page of buying to the provider's."""
    page.get_by_label("Purchase-order number").fill("PO-7")
    page.get_by_role("button", name="Go to payment").click()
    expect(page.get_by_label("Card number")).to_be_visible()


def pay(page: Page, card: str) -> None:
    """Submit a card on the provider's page."""
    page.get_by_label("Card number").fill(card)
    page.get_by_role("button", name=re.compile("^Pay ")).click()


def download(page: Page, folder: Path) -> Path:
    """Fetch the kit through the link of the purchase's page, under the name it is given."""
    page.get_by_role("button", name="Get a download link").click()
    with page.expect_download() as coming:
        page.get_by_role("link", name="Download the kit").click()
    kit = folder / coming.value.suggested_filename
    coming.value.save_as(kit)
    return kit


def fetched(page: Page, link: str) -> bytes:
    """The bytes behind a link of the page."""
    address = page.get_by_role("link", name=link, exact=True).get_attribute("href")
    answer = page.request.get(address or f"{link}: it leads nowhere")
    assert answer.status == 200, answer.url
    return answer.body()


def sha256(file: Path) -> str:
    """The digest of a file's bytes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
