"""What a stranger reads: the pages, the card, the receipt and the keys."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from demo.walkthrough.proof import prove

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.walkthrough.journey import Journey


def read_the_pages(journey: Journey) -> None:
    """Catalogue, package and version are public."""
    title = journey.definition["title"]
    for path in ("/", journey.package_path, journey.version_path):
        page = journey.stranger.get(path)
        prove(page.status == HTTPStatus.OK and title in page.text, f"{path} shows {title}")
    policy = page.response.headers.get("Content-Security-Policy", "")
    prove("unsafe" not in policy and "script-src" in policy, "no inline script or style is allowed")


def read_the_card(journey: Journey) -> None:
    """The card as data has a strong ETag, and 304 for who has it."""
    address = f"{journey.package_path}card.json"
    page = journey.stranger.get(address)
    etag = page.response.headers.get("ETag", "")
    prove(page.status == HTTPStatus.OK, f"{address} answers 200", found=page.status)
    prove(etag.startswith('"'), f"with a strong ETag, {etag[:14]}...", found=etag)
    again = journey.stranger.get(address, If_None_Match=etag)
    prove(again.status == HTTPStatus.NOT_MODIFIED, "and 304 without a body to who holds it")
    prove(again.response.content == b"", "the 304 is empty")
    journey.card = page.response.json()
    embed = journey.stranger.get(f"{journey.package_path}card/")
    prove(embed.status == HTTPStatus.OK, "the embeddable card answers too", found=embed.status)


def fetch_receipt_and_keys(journey: Journey) -> None:
    """Anyone may fetch what the card's claims rest on."""
    files = {
        journey.receipt: f"{journey.version_path}receipt.json",
        journey.keys: "/.well-known/touchstone/keys.json",
    }
    for file, address in files.items():
        page = journey.stranger.get(address)
        prove(page.status == HTTPStatus.OK, f"{address} is public", found=page.status)
        file.write_bytes(page.response.content)


def scalars(value: Any) -> Iterator[Any]:
    """Every number and text of a JSON document, wherever it lies."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from scalars(each)
    else:
        yield value
