"""Figures in the sentences of findings."""

from __future__ import annotations

from decimal import Decimal

from receipts.claims.intervals import Interval


def number(interval: Interval) -> str:
    """The middle of an interval, with the digits that its width leaves certain.

    >>> number(Interval.published(Decimal("272.77")))
    '272.77'
    """
    width = interval.high - interval.low
    if not width:
        return f"{interval.middle.normalize():,f}"
    places = max(0, -width.adjusted()) if width < 1 else 0
    # A published figure is exactly one unit of its last place wide.
    return f"{interval.middle:,.{min(places, 6)}f}"


def close(value: Decimal) -> str:
    """A value that was worked out, to three significant digits."""
    if not value:
        return "0"
    return f"{value:,.{max(0, min(6, 2 - value.adjusted()))}f}"
