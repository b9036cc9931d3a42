"""What was measured: the points of the serving curve and the comparisons made from them.

Throughput is in the unit of the protocol: ``aggregate`` over the node, ``per_gpu`` per GPU.
"""

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, Discriminator, Tag, model_validator

from .columns import align, align_cells
from .fields import Count, CountFromZero, Items, Section, Sha256, Slug, Text
from .figures import Figure, PositiveFigure

STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99")
CurveProtocol = Literal["serving_curve"]


class Latency(Section):
    """One latency in the unit in which it was published, with every statistic measured of it."""

    unit: Literal["ms", "s"]
    mean: PositiveFigure | None = None
    p50: PositiveFigure | None = None
    p75: PositiveFigure | None = None
    p90: PositiveFigure | None = None
    p95: PositiveFigure | None = None
    p99: PositiveFigure | None = None

    @property
    def measured(self) -> tuple[tuple[str, Decimal], ...]:
        """Each statistic that was measured with its value, the mean first."""
        return tuple(
            (name, value) for name in STATISTICS if (value := getattr(self, name)) is not None
        )

    @model_validator(mode="after")
    def _measured_in_order(self) -> Self:
        if not self.measured:
            raise ValueError(f"must hold at least one of {', '.join(STATISTICS)}")
        percentiles = [(name, value) for name, value in self.measured if name != "mean"]
        for (low, below), (high, above) in pairwise(percentiles):
            if below > above:
                raise ValueError(f"{low} must be at most {high}")
        return self


class MeasuredPoint(Section):
    """One measured point: time to first token, per output token, between tokens, end to end.

    ``prompt_tokens`` and ``output_tokens`` are totals over the completed requests, ``duration``
    is in seconds, ``raw`` the SHA-256 of the raw file that the figures were read from.
    """

    profile: Slug
    concurrency: Count
    requests: Count
    completed: Count
    failed: CountFromZero
    per_gpu: PositiveFigure
    aggregate: PositiveFigure
    ttft: Latency
    tpot: Latency
    itl: Latency | None = None
    e2el: Latency | None = None
    request_rate: PositiveFigure | None = None
    duration: PositiveFigure | None = None
    prompt_tokens: Count | None = None
    output_tokens: Count | None = None
    raw: Sha256 | None = None
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
    rows = iter(align_cells(measured, STATISTICS, "ttft", "tpot", "itl", "e2el"))
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
