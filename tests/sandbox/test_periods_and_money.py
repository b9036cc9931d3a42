"""Calendar periods and readable amounts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sandbox.money import readable
from sandbox.objects.periods import period_end


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("start", "interval", "count", "end"),
    [
        ("2026-01-31", "month", 1, "2026-02-28"),
        ("2028-01-31", "month", 1, "2028-02-29"),
        ("2026-12-15", "month", 1, "2027-01-15"),
        ("2026-03-01", "month", 12, "2027-03-01"),
        ("2028-02-29", "year", 1, "2029-02-28"),
        ("2026-03-01", "week", 2, "2026-03-15"),
    ],
)
def test_periods_follow_the_calendar(start: str, interval: str, count: int, end: str) -> None:
    recurring = {"interval": interval, "interval_count": count}
    assert period_end(moment(start), recurring) == moment(end)


def test_a_period_is_counted_from_the_first_one() -> None:
    monthly = {"interval": "month", "interval_count": 1}
    anchor, ends = moment("2026-01-31"), []
    start = anchor
    for _ in range(3):
        start = period_end(start, monthly, anchor=anchor)
        ends.append(start)
    assert ends == [moment(day) for day in ("2026-02-28", "2026-03-31", "2026-04-30")]


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [(250_000, "usd", "2,500.00 USD"), (5, "eur", "0.05 EUR"), (500, "jpy", "500 JPY")],
)
def test_amounts_are_readable(amount: int, currency: str, text: str) -> None:
    assert readable(amount, currency) == text
