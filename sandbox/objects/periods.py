"""Billing periods by the calendar, in UTC."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.shapes import Json

_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}


def period_end(start: int, recurring: Json, *, anchor: int | None = None) -> int:
    """Return when a period that begins at `start` ends, both in Unix seconds.

    Periods are counted from the anchor (the first start), as Stripe counts: a month from 31 January
    ends on the last day of February, and the next one on 31 March.
    """
    first = datetime.fromtimestamp(start if anchor is None else anchor, UTC)
    begin = datetime.fromtimestamp(start, UTC)
    number = 1
    while (end := _after(first, number, recurring)) <= begin:
        number += 1
    return int(end.timestamp())


def _after(first: datetime, number: int, recurring: Json) -> datetime:
    interval, count = recurring["interval"], recurring["interval_count"] * number
    if interval in _DAYS:
        return first + timedelta(days=_DAYS[interval] * count)
    months = first.year * 12 + first.month - 1 + _MONTHS[interval] * count
    year, month = divmod(months, 12)
    day = min(first.day, calendar.monthrange(year, month + 1)[1])
    return first.replace(year=year, month=month + 1, day=day)
