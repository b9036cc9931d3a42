"""Money, sizes and figures as people read them, with no digit lost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.stories import story_parts
from catalog.templatetags.written import figure, filesize, money, signed_figure


@pytest.mark.parametrize(
    ("minor", "currency", "written"),
    [
        (230_000, "USD", "$2,300"),
        (230_050, "USD", "$2,300.50"),
        (5, "EUR", "€0.05"),
        (0, "GBP", "£0"),
        (-1_999, "USD", "-$19.99"),
        (123_456_789, "CHF", "CHF 1,234,567.89"),
    ],
)
def test_money_is_written_from_minor_units(minor: int, currency: str, written: str) -> None:
    assert money(minor, currency) == written


@pytest.mark.parametrize(
    ("size", "written"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB (1,000 bytes)"),
        (999_949, "999.9 kB (999,949 bytes)"),
        (999_950, "1.0 MB (999,950 bytes)"),
        (2_500_000, "2.5 MB (2,500,000 bytes)"),
        (999_999_999, "1.0 GB (999,999,999 bytes)"),
    ],
)
def test_sizes_are_rounded_beside_their_exact_bytes(size: int, written: str) -> None:
    assert filesize(size) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Decimal("114549.13"), "114,549.13"),
        (Decimal("34.10"), "34.10"),
        (Decimal("0.133"), "0.133"),
        (2_800_000_000_000, "2,800,000,000,000"),
    ],
)
def test_a_figure_keeps_its_published_decimals(value: Decimal | int, written: str) -> None:
    assert figure(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [("83.07", "+83.07"), ("-9.46", "\N{MINUS SIGN}9.46"), ("-1234.5", "\N{MINUS SIGN}1,234.5")],
)
def test_a_difference_carries_its_sign(value: str, written: str) -> None:
    assert signed_figure(Decimal(value)) == written


def test_a_story_is_split_where_the_card_stands() -> None:
    assert story_parts("Before.\n\n{{ card }}\n\nAfter.\n") == (
        "<p>Before.</p>\n",
        "<p>After.</p>\n",
    )


def test_a_story_without_a_card_is_one_part() -> None:
    assert story_parts("Alone.") == ("<p>Alone.</p>\n",)


@pytest.mark.parametrize("raw", ["<script>x</script>", "<img src=x onerror=y>", "a <b>c</b>"])
def test_raw_html_in_a_story_is_shown_and_not_obeyed(raw: str) -> None:
    (html,) = story_parts(raw)
    assert "&lt;" in html
    assert html.replace("<p>", "").replace("</p>", "").count("<") == 0
