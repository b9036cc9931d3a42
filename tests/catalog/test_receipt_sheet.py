"""A receipt on paper: one sheet, the same figures, the same bytes every time."""

from __future__ import annotations

import io

import pypdf
import pytest
from django.core.cache import cache
from django.test import Client

from catalog.models import PackageVersion
from tests.shop import revoke


@pytest.fixture
def address(published: PackageVersion) -> str:
    assert published.benchmark_receipt is not None
    return f"/receipts/{published.benchmark_receipt.payload_sha256}/receipt.pdf"


def _read(address: str) -> tuple[bytes, str, int]:
    cache.clear()
    response = Client().get(address)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    reader = pypdf.PdfReader(io.BytesIO(response.content))
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    return response.content, text, len(reader.pages)


def test_one_sheet_says_what_the_page_says(address: str, published: PackageVersion) -> None:
    _, text, pages = _read(address)
    assert pages == 1
    card = Client().get("/packages/kimi-k3-8xb300/card.json").json()
    definition = published.definition
    wanted = [
        card["kit_sha256"],
        card["weight_sha256"],
        card["key_id"],
        *(f"{figure['value']:,.2f}" for figure in card["figures"]),
        *("+83.07 %", "+20.25 %", "\N{MINUS SIGN}9.46 %", "0.133", "301.28", "37.66", "7.4 s"),
        *("59.9 s", "not characterised", "touchstone verify", "17 claim checks"),
        *(each.subject for each in definition.not_measured),
        *("eight requests in a single stream", "every figure is scoped to text generation"),
    ]
    assert [each for each in wanted if each not in text] == []


def test_the_same_receipt_gives_the_same_bytes(address: str) -> None:
    first, _, _ = _read(address)
    second, _, _ = _read(address)
    assert first == second
    response = Client().get(address, headers={"If-None-Match": Client().get(address)["ETag"]})
    assert response.status_code == 304


def test_a_revoked_key_shows_on_paper(address: str, published: PackageVersion) -> None:
    assert published.benchmark_receipt is not None
    _, before, _ = _read(address)
    revoke("benchmark")
    _, after, _ = _read(address)
    assert "KEY REVOKED" in after
    assert "KEY REVOKED" not in before


def test_there_is_no_sheet_of_an_unknown_receipt(published: PackageVersion) -> None:
    assert Client().get(f"/receipts/{'0' * 64}/receipt.pdf").status_code == 404


def test_the_page_links_to_its_sheet(address: str) -> None:
    page = Client().get(address.removesuffix("receipt.pdf"))
    assert f'href="{address}"' in page.text
