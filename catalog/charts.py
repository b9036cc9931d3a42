"""The serving curve as coordinates for an SVG: throughput against concurrency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from catalog.definition.measurements import MeasuredPoint

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 24, 20, 48


@dataclass(frozen=True)
class Mark:
    """One measured point: where it stands and what it says."""

    x: float
    y: float
    concurrency: int
    value: Decimal


@dataclass(frozen=True)
class Tick:
    """A grid line and its figure."""

    at: float
    label: str


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A chart of aggregate output tokens per second over concurrency (logarithmic)."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    line: str
    description: str


def serving_curve(points: Sequence[MeasuredPoint]) -> Curve | None:
    """Lay out the curve; None when nothing was measured."""
    if not points:
        return None
    step = _step(max(float(point.aggregate) for point in points))
    highest = step * math.ceil(max(float(point.aggregate) for point in points) / step)
    widest = math.log2(max(2, *(point.concurrency for point in points)))
    marks = tuple(
        Mark(
            x=round(LEFT + math.log2(point.concurrency) / widest * (WIDTH - LEFT - RIGHT), 1),
            y=_height(float(point.aggregate), highest),
            concurrency=point.concurrency,
            value=point.aggregate,
        )
        for point in points
    )
    return Curve(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        marks=marks,
        ticks=tuple(
            Tick(_height(step * n, highest), f"{step * n:g}")
            for n in range(round(highest / step) + 1)
        ),
        line=" ".join(f"{mark.x},{mark.y}" for mark in marks),
        description="; ".join(
            f"concurrency {mark.concurrency}: {mark.value} output tokens per second"
            for mark in marks
        ),
    )


def _height(value: float, highest: float) -> float:
    return round(HEIGHT - BOTTOM - value / highest * (HEIGHT - BOTTOM - TOP), 1)


def _step(highest: float) -> float:
    rough = highest / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
