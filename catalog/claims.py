"""The figures of a definition, as the claim checks of receipts take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from catalog.definition import Definition
from catalog.definition.measurements import Latency, MeasuredPoint, OtherPoint
from receipts.claims.checking import check_claims, refuse_broken
from receipts.claims.figures import AdvantageFigure, Figures, Finding, PointFigures
from receipts.claims.intervals import Interval

LATENCIES = ("ttft", "tpot", "itl", "e2el")
MILLISECONDS = {"ms": 1, "s": 1000}


def findings_of(definition: Definition) -> tuple[Finding, ...]:
    """What the claim checks find. Raises ClaimsRefused for what may not be sealed."""
    reasons = {(each.identity, each.path): each.reason for each in definition.accepted_findings}
    findings = check_claims(figures_of(definition), reasons=reasons)
    refuse_broken(findings, reasons=reasons)
    return findings


def figures_of(definition: Definition) -> Figures:
    """The figures, each with the room that its rounding leaves."""
    return Figures(
        gpus=definition.hardware.gpus,
        points=(
            *(
                _measured(point, path=f"serving_curve[{index}]", definition=definition)
                for index, point in enumerate(definition.serving_curve)
                if isinstance(point, MeasuredPoint)
            ),
            *(
                _other(point, path=f"other_points[{index}]")
                for index, point in enumerate(definition.other_points)
            ),
        ),
        advantages=tuple(_advantages(definition)),
    )


def _measured(point: MeasuredPoint, *, path: str, definition: Definition) -> PointFigures:
    length = Interval.exactly(definition.protocols.serving_curve.output_tokens)
    if point.output_tokens is not None:
        # The tokens that came out, where the tool counted them, not those that were asked for.
        length = Interval.exactly(point.output_tokens) / Interval.exactly(point.completed)
    return PointFigures(
        path=path,
        profile=point.profile,
        concurrency=point.concurrency,
        per_gpu=Interval.published(point.per_gpu),
        aggregate=Interval.published(point.aggregate),
        requests=point.requests,
        completed=point.completed,
        failed=point.failed,
        output_length=length,
        request_rate=Interval.published(point.request_rate) if point.request_rate else None,
        duration=Interval.published(point.duration) if point.duration else None,
        output_tokens=point.output_tokens,
        latencies={
            name: _milliseconds(latency) for name in LATENCIES if (latency := getattr(point, name))
        },
    )


def _other(point: OtherPoint, *, path: str) -> PointFigures:
    return PointFigures(
        path=path,
        profile=point.profile,
        concurrency=point.concurrency,
        per_gpu=Interval.published(point.per_gpu),
        aggregate=Interval.published(point.aggregate),
        latencies={"ttft": _milliseconds(point.ttft)},
    )


def _milliseconds(latency: Latency) -> Mapping[str, Interval]:
    factor = MILLISECONDS[latency.unit]
    return {name: Interval.published(value, factor=factor) for name, value in latency.measured}


def _advantages(definition: Definition) -> Iterator[AdvantageFigure]:
    for number, comparison in enumerate(definition.comparisons):
        for index, row in enumerate(comparison.advantages):
            yield AdvantageFigure(
                path=f"comparisons[{number}].advantages[{index}].percent",
                profile=comparison.profile,
                against=comparison.against,
                concurrency=row.concurrency,
                percent=Interval.published(row.percent),
            )
