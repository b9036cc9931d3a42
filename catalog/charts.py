"""The serving curve as coordinates for an SVG: throughput against concurrency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from catalog.definition.measurements import MeasuredPoint, OtherPoint

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
class Line:
    """The points of one profile, in the order of their concurrency; `number` tells them apart."""

    profile: str
    number: int
    marks: tuple[Mark, ...]

    @property
    def path(self) -> str:
        """The points of an SVG polyline."""
        return " ".join(f"{mark.x},{mark.y}" for mark in self.marks)


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
    lines: tuple[Line, ...]
    levels: tuple[Mark, ...]  # one mark for each concurrency, for the labels of the axis
    ticks: tuple[Tick, ...]
    description: str


def serving_curve(points: Sequence[MeasuredPoint | OtherPoint]) -> Curve | None:
    """Lay out a line for each profile on one scale; None when nothing was measured."""
    if not points:
        return None
    step = _step(max(float(point.aggregate) for point in points))
    highest = step * math.ceil(max(float(point.aggregate) for point in points) / step)
    widest = math.log2(max(2, *(point.concurrency for point in points)))

    def mark(point: MeasuredPoint | OtherPoint) -> Mark:
        across = math.log2(point.concurrency) / widest
        return Mark(
            x=round(LEFT + across * (WIDTH - LEFT - RIGHT), 1),
            y=_height(float(point.aggregate), highest),
            concurrency=point.concurrency,
            value=point.aggregate,
        )

    ordered = sorted(points, key=lambda point: point.concurrency)
    profiles = tuple(dict.fromkeys(point.profile for point in points))
    lines = tuple(
        Line(profile, number, tuple(mark(point) for point in ordered if point.profile == profile))
        for number, profile in enumerate(profiles)
    )
    return Curve(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        lines=lines,
        levels=tuple({mark(point).concurrency: mark(point) for point in ordered}.values()),
        ticks=tuple(
            Tick(_height(step * n, highest), f"{step * n:g}")
            for n in range(round(highest / step) + 1)
        ),
        description="; ".join(
            f"{line.profile}, concurrency {each.concurrency}: {each.value} output tokens per second"
            for line in lines
            for each in line.marks
        ),
    )


def _height(value: float, highest: float) -> float:
    return round(HEIGHT - BOTTOM - value / highest * (HEIGHT - BOTTOM - TOP), 1)


def _step(highest: float) -> float:
    rough = highest / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
