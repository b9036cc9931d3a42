"""What was measured: the points of the serving curve and the comparisons made from them.

Throughput is in the unit of the protocol: ``aggregate`` over the node, ``per_gpu`` per GPU.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Discriminator, Tag

from .columns import align, align_cells
from .fields import Count, CountFromZero, Items, Section, Slug, Text
from .figures import Figure, PositiveFigure

Percentile = Literal["p50", "p75", "p90", "p95", "p99"]
CurveProtocol = Literal["serving_curve"]


class Latency(Section):
    """One latency at a named percentile, in the unit in which it was published."""

    percentile: Percentile
    unit: Literal["ms", "s"]
    value: PositiveFigure

    @property
    def milliseconds(self) -> Decimal:
        """The value in milliseconds, exactly."""
        return self.value * 1000 if self.unit == "s" else self.value


class MeasuredPoint(Section):
    """One measured point: time to first token, time per output token, end-to-end latency."""

    profile: Slug
    concurrency: Count
    requests: Count
    completed: CountFromZero
    failed: CountFromZero
    per_gpu: PositiveFigure
    aggregate: PositiveFigure
    ttft: Latency
    tpot: Latency
    e2el: Latency
    request_rate: PositiveFigure | None = None
    characterised: Literal[True] = True


class UncharacterisedPoint(Section):
    """A concurrency that nobody measured, shown so that its absence is not overlooked."""

    profile: Slug
    concurrency: Count
    characterised: Literal[False]


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        characterised = value.get("characterised", True)
    else:
        characterised = getattr(value, "characterised", True)
    return "<uncharacterised>" if characterised is False else "<measured>"


# The tags stand in angle brackets so that problems.py can leave them out of a field's path.
CurvePoint: TypeAlias = Annotated[
    Annotated[MeasuredPoint, Tag("<measured>")]
    | Annotated[UncharacterisedPoint, Tag("<uncharacterised>")],
    Discriminator(_kind),
]


def _aligned(points: tuple[CurvePoint, ...]) -> tuple[CurvePoint, ...]:
    measured = tuple(point for point in points if isinstance(point, MeasuredPoint))
    measured = align(measured, "per_gpu", "aggregate")
    rows = iter(align_cells(measured, "value", "ttft", "tpot", "e2el"))
    return tuple(next(rows) if isinstance(point, MeasuredPoint) else point for point in points)


ServingCurve = Annotated[Items[CurvePoint], AfterValidator(_aligned)]


class OtherPoint(Section):
    """A point published outside the curve, with the figures that were published of it."""

    profile: Slug
    concurrency: Count
    per_gpu: PositiveFigure
    aggregate: PositiveFigure
    ttft: Latency


class Advantage(Section):
    """The advantage at one concurrency in percent; below zero means a disadvantage."""

    concurrency: Count
    percent: Figure


def _aligned_percents(rows: tuple[Advantage, ...]) -> tuple[Advantage, ...]:
    return align(rows, "percent")


class Comparison(Section):
    """``profile`` compared with ``against`` under one protocol, with one variable changed."""

    name: Slug
    title: Text
    profile: Slug
    against: Slug
    protocol: CurveProtocol
    quantity: Text
    one_variable: Text
    same: Text
    advantages: Annotated[Items[Advantage], AfterValidator(_aligned_percents)]
