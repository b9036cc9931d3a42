"""The figures that are checked against each other, whatever document they stand in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from receipts.claims.intervals import Interval

Outcome = Literal["holds", "remark", "broken", "accepted", "unchecked"]


@dataclass(frozen=True, kw_only=True)
class PointFigures:
    """One measured point. Rates are per second, latencies in milliseconds by statistic.

    `path` is where the point stands in its document, such as ``serving_curve[0]``;
    `output_length` is the number of output tokens of a request, where that is fixed.
    """

    path: str
    profile: str
    concurrency: int
    per_gpu: Interval
    aggregate: Interval
    requests: int | None = None
    completed: int | None = None
    failed: int | None = None
    output_length: Interval | None = None
    request_rate: Interval | None = None
    duration: Interval | None = None
    output_tokens: int | None = None
    latencies: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AdvantageFigure:
    """A published difference in percent between two profiles at one concurrency."""

    path: str
    profile: str
    against: str
    concurrency: int
    percent: Interval


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Everything one version publishes that can be checked."""

    gpus: int
    points: tuple[PointFigures, ...]
    advantages: tuple[AdvantageFigure, ...]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one check found of one figure.

    `reason` is why a broken identity is published all the same; only then is it accepted.
    """

    identity: str
    path: str
    outcome: Outcome
    text: str
    reason: str | None = None
