"""Fetching the kit: a link, a download that is cut, and the rest of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from demo.walkthrough.browser import Browser
from demo.walkthrough.proof import ProofError, prove
from demo.walkthrough.reading import scalars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.walkthrough.journey import Journey

LINK = re.compile(r"https?://[^\s\"'<>]+/download/[^\s\"'<>]+")


def issue_link(journey: Journey) -> str:
    """Ask for a download link on the purchase's page."""
    page = journey.buyer.get(journey.purchase_path)
    shown = journey.buyer.send(page, page.form(action="/link/"))
    found = LINK.search(shown.response.text)
    if found is None:
        raise ProofError(f"the page shows no link: {shown.status} {shown.text[:300]}")
    return found.group()


def kit_is_downloaded(journey: Journey) -> None:
    """Cut after the first half, the download goes on where it stopped, without a cookie."""
    journey.linked_at = time.monotonic()
    journey.first_link = issue_link(journey)
    prove(True, "the account issues a link")
    machine = Browser(journey.plan.site_url)
    whole = machine.get(journey.first_link, Range="bytes=0-0").response
    size = int(whole.headers["Content-Range"].rpartition("/")[2])
    etag = whole.headers["ETag"]
    half = size // 2
    first = machine.get(journey.first_link, Range=f"bytes=0-{half - 1}").response
    rest = machine.get(journey.first_link, Range=f"bytes={half}-", If_Range=etag).response
    parts = {first.status_code, rest.status_code}
    prove(parts == {HTTPStatus.PARTIAL_CONTENT}, "both parts come as 206", found=parts)
    _keep(journey, first.content + rest.content, size=size, name=_name(first.headers))


def _keep(journey: Journey, kit: bytes, *, size: int, name: str) -> None:
    digest = hashlib.sha256(kit).hexdigest()
    prove(len(kit) == size, f"{name}: {size} bytes, in two parts")
    said = set(scalars(journey.card))
    prove(digest in said, f"the card names their SHA-256, {digest[:12]}...")
    prove(size in said, "and their exact size")
    journey.kit = journey.work / name
    journey.kit.write_bytes(kit)


def buyer_receipt_names_the_kit(journey: Journey) -> None:
    """The buyer receipt is about these very bytes."""
    version = journey.definition["version"]
    page = journey.buyer.get(f"{journey.purchase_path}{version}/buyer-receipt.json")
    prove(page.status == HTTPStatus.OK, "the buyer receipt is there", found=page.status)
    statement = json.loads(base64.b64decode(page.response.json()["payload"]))
    digest = hashlib.sha256(journey.kit.read_bytes()).hexdigest()
    prove(digest in set(scalars(statement["subject"])), "its subject is the kit's SHA-256")
    journey.buyer_receipt.write_bytes(page.response.content)


def _name(headers: Mapping[str, str]) -> str:
    found = re.search(r'filename="([\w.-]+)"', headers.get("Content-Disposition", ""))
    return found.group(1) if found else "kit.tar.gz"
