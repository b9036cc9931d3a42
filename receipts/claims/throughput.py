"""Identities between throughput, request rate, requests and time."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from receipts.claims.figures import Figures, Finding, Outcome, PointFigures
from receipts.claims.intervals import Interval
from receipts.claims.wording import close, number

# Tools divide by a duration that begins and ends a little apart from the first and last request.
DURATION_TOLERANCE = Decimal("0.01")


def per_gpu(figures: Figures) -> Iterator[Finding]:
    """aggregate = per GPU x GPUs, to rounding."""
    for point in figures.points:
        expected = point.per_gpu * Interval.exactly(figures.gpus)
        holds = expected.overlaps(point.aggregate)
        yield _finding(
            "per-gpu",
            f"{point.path}.aggregate",
            holds,
            f"{number(point.aggregate)} in all is {figures.gpus} x {number(point.per_gpu)} per GPU",
            f"{number(point.aggregate)} in all is not {figures.gpus} x {number(point.per_gpu)} per "
            f"GPU, which is {number(expected)}",
        )


def request_rate(figures: Figures) -> Iterator[Finding]:
    """request rate = aggregate / output tokens of a request, where that length is fixed."""
    for point in figures.points:
        if point.request_rate is None or point.output_length is None:
            continue
        expected = point.aggregate / point.output_length
        text = (
            f"{number(point.aggregate)} tokens a second over {number(point.output_length)} tokens "
            f"a request is {number(expected)} requests a second"
        )
        holds = expected.overlaps(point.request_rate)
        published = f"{number(point.request_rate)} is published"
        path = f"{point.path}.request_rate"
        yield _finding(
            "request-rate", path, holds, f"{text}; {published}", f"{text}, but {published}"
        )


def duration(figures: Figures) -> Iterator[Finding]:
    """aggregate = output tokens / duration."""
    for point in figures.points:
        if point.duration is None or point.output_tokens is None:
            continue
        expected = Interval.exactly(point.output_tokens) / point.duration
        holds = expected.widened(DURATION_TOLERANCE).overlaps(point.aggregate)
        text = (
            f"{point.output_tokens:,} output tokens in {number(point.duration)} s are "
            f"{number(expected)} a second"
        )
        published = f"{number(point.aggregate)} is published"
        path = f"{point.path}.duration"
        yield _finding("duration", path, holds, f"{text}; {published}", f"{text}, but {published}")


def requests(figures: Figures) -> Iterator[Finding]:
    """completed + failed = requests asked; a failure is said, never left out."""
    for point in figures.points:
        if point.requests is None or point.completed is None:
            continue
        failed = point.failed or 0
        text = f"{point.completed} of {point.requests} requests completed, {failed} failed"
        outcome: Outcome = "remark" if failed else "holds"
        if point.completed + failed != point.requests:
            outcome = "broken"
        yield Finding(
            identity="requests", path=f"{point.path}.completed", outcome=outcome, text=f"{text}."
        )


def in_flight(figures: Figures) -> Iterator[Finding]:
    """Little's law: request rate x mean end-to-end latency is at most the concurrency.

    J. D. C. Little, A Proof for the Queuing Formula L = lambda W, 1961. A median is no mean,
    so that it is given more room, and never breaks the identity alone.
    """
    for point in figures.points:
        e2el = point.latencies.get("e2el", {})
        statistic = "mean" if "mean" in e2el else "p50"
        if statistic not in e2el or point.output_length is None:
            continue
        busy = point.aggregate / point.output_length * e2el[statistic] / Interval.exactly(1000)
        room = Decimal("1.05") if statistic == "mean" else Decimal("1.25")
        holds = busy.low <= point.concurrency * room
        text = (
            f"requests a second times {statistic} end-to-end latency are {close(busy.middle)} "
            f"requests at once, of {point.concurrency}"
        )
        outcome: Outcome = "holds" if holds else "broken" if statistic == "mean" else "remark"
        yield Finding(
            identity="in-flight", path=f"{point.path}.e2el", outcome=outcome, text=_sentence(text)
        )


def advantages(figures: Figures) -> Iterator[Finding]:
    """percent = (profile / against - 1) x 100, of the points that it comes from."""
    points: dict[tuple[str, int], PointFigures] = {
        (point.profile, point.concurrency): point for point in figures.points
    }
    for each in figures.advantages:
        ours = points.get((each.profile, each.concurrency))
        theirs = points.get((each.against, each.concurrency))
        if ours is None or theirs is None:
            missing = each.profile if ours is None else each.against
            text = (
                f"{number(each.percent)} % cannot be computed again: the point of {missing} at "
                f"concurrency {each.concurrency} is not published."
            )
            yield Finding(identity="advantage", path=each.path, outcome="unchecked", text=text)
            continue
        ratio = ours.aggregate / theirs.aggregate
        expected = (ratio - Interval.exactly(1)) * Interval.exactly(100)
        sides = f"{number(ours.aggregate)} against {number(theirs.aggregate)} is"
        yield _finding(
            "advantage",
            each.path,
            expected.overlaps(each.percent),
            f"{sides} {number(each.percent)} %",
            f"{sides} {number(expected)} %, not {number(each.percent)} %",
        )


def _finding(identity: str, path: str, holds: bool, text: str, broken: str) -> Finding:
    return Finding(
        identity=identity,
        path=path,
        outcome="holds" if holds else "broken",
        text=_sentence(text if holds else broken),
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
