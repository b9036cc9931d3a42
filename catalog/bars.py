"""A comparison as bars on both sides of zero, so that a change of sign cannot be overlooked."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from catalog.definition.measurements import Comparison

WIDTH, ROW, TOP, LABELS, FIGURES = 560, 34, 34, 60, 84


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One advantage: a bar from zero, to the right when `profile` is ahead."""

    concurrency: int
    percent: Decimal
    x: float
    y: int
    length: float
    ahead: bool
    figure_x: float


@dataclass(frozen=True, kw_only=True)
class Bars:
    """The whole chart in the units of its view box."""

    width: int
    height: int
    zero: float
    row: int
    bars: tuple[Bar, ...]
    description: str


def advantage_bars(comparison: Comparison) -> Bars:
    """Lay out a comparison on one scale for both signs."""
    percents = [row.percent for row in comparison.advantages]
    most = float(max((abs(percent) for percent in percents), default=Decimal(1))) or 1.0
    sides = [max(0.0, *(sign * float(percent) for percent in percents)) for sign in (-1, 1)]
    room = WIDTH - LABELS - sum(FIGURES for side in sides if side) - 8
    scale = room / (sum(sides) or most)
    zero = LABELS + (FIGURES if sides[0] else 0) + sides[0] * scale
    return Bars(
        width=WIDTH,
        height=TOP + ROW * len(percents),
        zero=round(zero, 1),
        row=ROW,
        bars=tuple(
            _bar(row.concurrency, row.percent, y=TOP + ROW * index, zero=zero, scale=scale)
            for index, row in enumerate(comparison.advantages)
        ),
        description="; ".join(
            f"concurrency {row.concurrency}: {row.percent:+} percent, "
            f"{comparison.profile if row.percent > 0 else comparison.against} ahead"
            for row in comparison.advantages
        ),
    )


def _bar(concurrency: int, percent: Decimal, *, y: int, zero: float, scale: float) -> Bar:
    length = abs(float(percent)) * scale
    ahead = percent > 0
    return Bar(
        concurrency=concurrency,
        percent=percent,
        x=round(zero if ahead else zero - length, 1),
        y=y,
        length=round(length, 1),
        ahead=ahead,
        figure_x=round(zero + length + 6 if ahead else zero - length - 6, 1),
    )
