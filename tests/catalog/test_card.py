"""The live card: one set of figures as JSON, as HTML to frame, and in the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings as site
from django.core.files.storage import storages
from django.test import Client

from catalog.cards import card_of
from catalog.models import PackageVersion
from tests.catalog.reading import policy, shown
from tests.shop import revoke

PACKAGE = "/packages/kimi-k3-8xb300/"
JSON = f"{PACKAGE}card.json"
EMBED = f"{PACKAGE}card/"


def test_the_card_says_what_lies_on_disk(published: PackageVersion, client: Client) -> None:
    card, kit = client.get(JSON).json(), published.kit
    assert kit is not None
    assert card["kit_bytes"] == storages["kits"].size(kit.path)
    assert (card["kit_sha256"], card["weight_sha256"]) == (kit.sha256, kit.weights_sha256)
    assert card["kit_name"] == "kimi-k3-8xb300-1.0.0.tar.gz"


def test_the_card_has_prices_in_minor_units(published: PackageVersion, client: Client) -> None:
    card = client.get(JSON).json()
    assert (card["currency"], card["price_minor"], card["maintenance_minor"]) == (
        "USD",
        230_000,
        20_000,
    )
    assert (card["version"], card["tier"], card["released"]) == (
        "1.0.0",
        "enterprise",
        "2026-07-30",
    )


def test_the_three_forms_and_the_api_show_the_same_card(
    published: PackageVersion, client: Client
) -> None:
    card = client.get(JSON).json()
    assert client.get("/api/v1/packages/kimi-k3-8xb300/").json() == card
    assert client.get("/api/v1/packages/").json() == [card]
    for page in ("/", PACKAGE, EMBED):
        text = shown(client.get(page))
        assert card["kit_sha256"] in text
        assert card["weight_sha256"] in text
        assert f"({card['kit_bytes']:,} bytes)" in text
        assert "$2,300 once, $200 a month for maintenance" in text
        assert "272.77 output tokens per second" in text


@pytest.mark.parametrize("path", [JSON, EMBED])
def test_the_etag_is_strong_and_answers_304(
    published: PackageVersion, client: Client, path: str
) -> None:
    first = client.get(path)
    assert first["ETag"].startswith('"')
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    other = client.get(path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)
    assert first["Cache-Control"] == "public, max-age=0, must-revalidate"


def test_the_bytes_are_the_same_each_time(published: PackageVersion, client: Client) -> None:
    first, second = client.get(JSON), Client().get(JSON)
    assert first.content == second.content
    assert first["Content-Type"] == "application/json"
    assert first["Content-Length"] == str(len(first.content))
    assert client.head(JSON)["ETag"] == first["ETag"]


@pytest.mark.parametrize("path", [JSON, EMBED])
def test_the_etag_changes_when_the_key_is_revoked(
    published: PackageVersion, client: Client, path: str
) -> None:
    before = client.get(path)["ETag"]
    revoke("benchmark")
    after = client.get(path, headers={"If-None-Match": before})
    assert after.status_code == 200
    assert after["ETag"] != before


def test_any_site_may_frame_the_card_and_it_runs_nothing(
    published: PackageVersion, client: Client
) -> None:
    response = client.get(EMBED)
    rules = policy(response)
    assert rules["frame-ancestors"] == "*"
    assert rules["script-src"] == "'self'"
    assert "X-Frame-Options" not in response.headers
    assert "<script" not in response.text
    assert not response.cookies


def test_a_304_of_the_card_may_still_be_framed(published: PackageVersion, client: Client) -> None:
    etag = client.get(EMBED)["ETag"]
    response = client.get(EMBED, headers={"If-None-Match": etag})
    assert policy(response)["frame-ancestors"] == "*"
    assert "X-Frame-Options" not in response.headers


def test_links_of_a_framed_card_open_outside_the_frame_at_full_addresses(
    published: PackageVersion, client: Client
) -> None:
    page = client.get(EMBED).text
    assert '<base target="_blank">' in page
    assert f'href="{site.SITE_URL}{PACKAGE}"' in page


def test_the_cards_addresses_answer(published: PackageVersion, client: Client) -> None:
    card = client.get(JSON).json()
    for name in ("package_url", "receipt_url", "receipt_page_url"):
        assert client.get(card[name].removeprefix(site.SITE_URL)).status_code == 200


def test_the_schema_describes_every_field_of_the_card(
    published: PackageVersion, client: Client
) -> None:
    schema = json.loads(client.get("/api/v1/schema/?format=json").content)
    described = schema["components"]["schemas"]["Card"]["properties"]
    card: dict[str, Any] = client.get(JSON).json()
    assert set(described) == set(card)
    figure = schema["components"]["schemas"]["Figure"]["properties"]
    assert set(figure) == set(card["figures"][0])


def test_a_draft_has_no_card(published: PackageVersion) -> None:
    draft = PackageVersion(
        package=published.package, version="2.0.0", data=published.data, state="draft"
    )
    with pytest.raises(ValueError, match=r"version 2\.0\.0 is not sealed"):
        card_of(draft)
