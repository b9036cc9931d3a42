"""Download links in hostile hands: odd ranges, changed tokens, dead links asked for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core import signing
from django.db import connection
from django.test import Client
from django.urls import reverse

from catalog.models import Kit
from entitlements.links import issue_link
from entitlements.models import Download, Purchase
from entitlements.ranges import RangeNotSatisfiable, Span, requested_span
from licensing.models import User

SIZE, NINES = 1000, "9" * 5000


@pytest.fixture
def link(bought: Purchase, owner: User) -> str:
    """The path of a fresh link of the owner's."""
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    return f"/download/{token}"


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def asked(header: str) -> Span | None:
    return requested_span(header=header, if_range="", etag='"x"', size=SIZE)


def test_positions_of_thousands_of_digits_lie_past_the_end() -> None:
    assert asked(f"bytes=10-{NINES}") == Span(10, 999)
    assert asked(f"bytes=-{NINES}") == Span(0, 999)
    assert asked(f"bytes={'0' * 5000}5-5") == Span(5, 5)
    with pytest.raises(RangeNotSatisfiable):
        asked(f"bytes={NINES}-")


@pytest.mark.parametrize(
    "header",
    [
        "bytes=--1",
        "bytes=-",
        "bytes=1-2-3",
        "bytes=+1-2",
        "bytes=1_0-20",
        "bytes=٠-٩",
        "bytes=0x1-2",
    ],
)
def test_what_is_no_range_asks_for_the_whole(header: str) -> None:
    assert asked(header) is None


def test_a_thousand_ranges_are_sent_as_one_body(link: str, client: Client) -> None:
    many = ",".join(f"{each}-{each}" for each in range(1000))
    response = client.get(link, headers={"Range": f"bytes={many}"})
    assert (response.status_code, len(body(response))) == (200, Kit.objects.get().size)


def test_a_range_of_thousands_of_digits_is_answered(link: str, client: Client) -> None:
    assert client.get(link, headers={"Range": f"bytes={NINES}-"}).status_code == 416


def test_head_knows_no_ranges(link: str, client: Client) -> None:
    response = client.head(link, headers={"Range": "bytes=0-9"})
    assert (response.status_code, response["Content-Length"]) == (200, str(Kit.objects.get().size))


def test_a_changed_token_opens_nothing_and_is_not_logged(link: str, client: Client) -> None:
    token = link.removeprefix("/download/")
    payload, stamp, signature = token.split(":")
    other = signing.dumps("0" * 32, salt="another purpose")
    forged = [
        f"{payload}:{stamp}",
        f"{payload}:zzzzzz:{signature}",
        f"{payload[:-1]}x:{stamp}:{signature}",
        f".{token}",
        token.swapcase(),
        f"{token} ",
        "\0",
        "é:é:é",
        ":::",
        other,
    ]
    for each in forged:
        assert client.get(reverse("entitlements:download", args=[each])).status_code == 404, each
    assert Download.objects.count() == 1


def test_a_dead_link_asked_for_ever_adds_one_row(link: str, client: Client, owner: User) -> None:
    owner.is_active = False
    owner.save()
    assert {client.get(link).status_code for _ in range(5)} == {403}
    denied = Download.objects.filter(event=Download.Event.DENIED)
    assert denied.count() == 1


def test_an_expired_link_asked_for_ever_adds_one_row(
    link: str, client: Client, settings: Any
) -> None:
    settings.DOWNLOAD_LINK_SECONDS = -1
    assert {client.get(link).status_code for _ in range(5)} == {410}
    assert Download.objects.get(event=Download.Event.DENIED).reason == "expired"


@pytest.mark.django_db(transaction=True)
def test_eight_at_once_are_one_download(bought: Purchase, owner: User) -> None:
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)

    def fetch(_: int) -> int:
        try:
            return len(body(Client().get(f"/download/{token}")))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        sizes = set(pool.map(fetch, range(8)))
    assert sizes == {Kit.objects.get().size}
    events = Download.objects.order_by("id").values_list("event", flat=True)
    assert sorted(events) == ["completed", "issued", "started"]
