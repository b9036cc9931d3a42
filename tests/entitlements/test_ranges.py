"""Byte ranges by RFC 9110. Python's own slices say which bytes a range means."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.models import Kit
from entitlements.links import issue_link
from entitlements.models import Download, Purchase
from entitlements.ranges import RangeNotSatisfiable, Span, requested_span
from licensing.models import User

ETAG = '"the-kit"'
DATA = st.binary(min_size=1, max_size=200)
PLACE = st.integers(min_value=0, max_value=300)
UNIT = st.sampled_from(["bytes=", "Bytes=", " BYTES="])
# Up to more digits than Python reads into an int.
MANY_DIGITS = st.integers(min_value=21, max_value=7000).map(lambda count: "9" * count)


def span_of(header: str, data: bytes, if_range: str = "") -> Span | None:
    return requested_span(header=header, if_range=if_range, etag=ETAG, size=len(data))


def answer(header: str, data: bytes) -> bytes:
    """The bytes of a range; nothing at all where it is not satisfiable."""
    try:
        span = span_of(header, data)
    except RangeNotSatisfiable:
        return b""
    assert span is not None
    assert 0 <= span.first <= span.last < len(data)
    assert span.header(len(data)) == f"bytes {span.first}-{span.last}/{len(data)}"
    sent = data[span.first : span.last + 1]
    assert span.length == len(sent)
    return sent


@given(data=DATA, unit=UNIT, first=PLACE, more=PLACE)
def test_a_closed_range_is_its_slice(data: bytes, unit: str, first: int, more: int) -> None:
    assert answer(f"{unit}{first}-{first + more}", data) == data[first : first + more + 1]


@given(data=DATA, unit=UNIT, first=PLACE)
def test_an_open_range_runs_to_the_end(data: bytes, unit: str, first: int) -> None:
    assert answer(f"{unit}{first}-", data) == data[first:]


@given(data=DATA, unit=UNIT, length=PLACE)
def test_a_suffix_is_the_last_bytes(data: bytes, unit: str, length: int) -> None:
    assert answer(f"{unit}-{length}", data) == (data[-length:] if length else b"")


@given(data=DATA, last=PLACE, less=st.integers(min_value=1, max_value=300))
def test_a_range_that_ends_before_it_begins_is_ignored(data: bytes, last: int, less: int) -> None:
    assert span_of(f"bytes={last + less}-{last}", data) is None


@given(data=DATA, ranges=st.lists(st.tuples(PLACE, PLACE), min_size=2, max_size=5))
def test_several_ranges_are_answered_with_the_whole(
    data: bytes, ranges: list[tuple[int, int]]
) -> None:
    header = ", ".join(f"{first}-{first + more}" for first, more in ranges)
    assert span_of(f"bytes={header}", data) is None


@given(data=DATA, number=MANY_DIGITS)
def test_a_number_of_any_length_is_past_the_end(data: bytes, number: str) -> None:
    assert answer(f"bytes=0-{number}", data) == answer(f"bytes=-{number}", data) == data
    assert answer(f"bytes={number}-", data) == b""


@pytest.mark.parametrize("number", [2**63 - 1, 2**64 - 1])
def test_the_largest_numbers_of_machines_mean_the_end(number: int) -> None:
    assert answer(f"bytes=4-{number}", b"0123456789") == b"456789"


@given(data=DATA, header=st.text() | st.text(alphabet="bytes=0123456789-, ٣"))
def test_whatever_is_asked_the_answer_lies_within_the_bytes(data: bytes, header: str) -> None:
    try:
        span = span_of(header, data)
    except RangeNotSatisfiable:
        span = None
    if span is not None:
        assert re.fullmatch(r"bytes=[0-9]*-[0-9]*", header.strip(), re.IGNORECASE)
        assert 0 <= span.first <= span.last < len(data)


@pytest.mark.parametrize("held", [f"W/{ETAG}", '"other"', "Wed, 21 Oct 2026 07:28:00 GMT", "*"])
def test_if_range_of_anything_but_the_strong_etag_means_the_whole(held: str) -> None:
    assert span_of("bytes=2-3", b"0123456789", if_range=held) is None
    assert span_of("bytes=99-", b"0123456789", if_range=held) is None
    assert span_of("bytes=2-3", b"0123456789", if_range=ETAG) == Span(2, 3)


@pytest.fixture
def link(bought: Purchase, owner: User) -> str:
    """The path of a fresh link of the owner's."""
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    return f"/download/{token}"


def stored() -> bytes:
    with storages["kits"].open(Kit.objects.get().path) as file:
        return bytes(file.read())


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(first=st.integers(0, 20_000), more=st.integers(0, 500_000), open_end=st.booleans())
def test_a_download_sends_the_slice(
    link: str, client: Client, first: int, more: int, open_end: bool
) -> None:
    asked = f"bytes={first}-" if open_end else f"bytes={first}-{first + more}"
    response: Any = client.get(link, headers={"Range": asked})
    kit = stored()
    meant = kit[first:] if open_end else kit[first : first + more + 1]
    if not meant:
        assert response.status_code == 416
        assert response["Content-Range"] == f"bytes */{len(kit)}"
        return
    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes {first}-{first + len(meant) - 1}/{len(kit)}"
    assert response["Content-Length"] == str(len(meant))
    assert b"".join(response.streaming_content) == meant


@pytest.mark.parametrize("asked", ["bytes=0-9", "bytes=999999999-", "bytes=-5"])
def test_head_knows_no_ranges(link: str, client: Client, asked: str) -> None:
    response = client.head(link, headers={"Range": asked})
    assert response.status_code == 200
    assert response["Content-Length"] == str(len(stored()))
    assert "Content-Range" not in response
    assert list(Download.objects.values_list("event", flat=True)) == ["issued"]


def test_a_header_of_thousands_of_digits_is_no_error(link: str, client: Client) -> None:
    response: Any = client.get(link, headers={"Range": f"bytes=0-{'9' * 5000}"})
    assert b"".join(response.streaming_content) == stored()


def test_the_bytes_one_has_already_are_not_sent_again(link: str, client: Client) -> None:
    etag = f'"{Kit.objects.get().sha256}"'
    response = client.get(link, headers={"If-None-Match": etag, "Range": "bytes=0-9"})
    assert (response.status_code, response.content) == (304, b"")
    assert list(Download.objects.values_list("event", flat=True)) == ["issued"]
