"""Billing periods by the calendar, in UTC."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.shapes import Json

_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}


def period_end(start: int, recurring: Json) -> int:
    """Return when a period that begins at `start` ends, both in Unix seconds.

    A month from 31 January ends on the last day of February, as Stripe counts.
    """
    interval, count = recurring["interval"], recurring["interval_count"]
    begin = datetime.fromtimestamp(start, UTC)
    if interval in _DAYS:
        return int((begin + timedelta(days=_DAYS[interval] * count)).timestamp())
    months = begin.year * 12 + begin.month - 1 + _MONTHS[interval] * count
    year, month = divmod(months, 12)
    day = min(begin.day, calendar.monthrange(year, month + 1)[1])
    return int(begin.replace(year=year, month=month + 1, day=day).timestamp())
