"""Identities between latencies, and what a sample can say of them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from receipts.claims.figures import Figures, Finding, PointFigures
from receipts.claims.intervals import Interval
from receipts.claims.support import NEEDED, is_supported
from receipts.claims.wording import close, number

# Means add up exactly; medians of different sums only roughly, and tails not at all.
TOLERANCES = {"mean": Decimal("0.01"), "p50": Decimal("0.15")}
# More tokens in one streamed chunk than speculative decoding gives today.
LARGEST_CHUNK = 16
NAMES = {"ttft": "TTFT", "tpot": "TPOT", "itl": "ITL", "e2el": "end-to-end latency"}


def end_to_end(figures: Figures) -> Iterator[Finding]:
    """end to end = TTFT + (output tokens - 1) x TPOT.

    The definition of TPOT as serving benchmarks have it: the time after the first token over
    the tokens after the first. Where TPOT is too large by a factor, it fits the gap between
    streamed chunks of that many tokens.
    """
    for point in figures.points:
        latencies = (point.latencies.get(name, {}) for name in ("ttft", "tpot", "e2el"))
        ttft, tpot, e2el = latencies
        for statistic, tolerance in TOLERANCES.items():
            if statistic in ttft and statistic in e2el and point.output_length is not None:
                if finding := _order(point, statistic, ttft[statistic], e2el[statistic]):
                    yield finding
                elif statistic in tpot:
                    parts = ttft[statistic], tpot[statistic], e2el[statistic]
                    yield _sum(point, statistic, parts, point.output_length, tolerance)


def _order(point: PointFigures, statistic: str, ttft: Interval, e2el: Interval) -> Finding | None:
    if e2el.high > ttft.low:
        return None
    return Finding(
        identity="end-to-end",
        path=f"{point.path}.e2el",
        outcome="broken",
        text=(
            f"The {statistic} of end-to-end latency, {number(e2el)} ms, is not above that of TTFT, "
            f"{number(ttft)} ms."
        ),
    )


def _sum(
    point: PointFigures,
    statistic: str,
    parts: tuple[Interval, Interval, Interval],
    length: Interval,
    tolerance: Decimal,
) -> Finding:
    ttft, tpot, e2el = parts
    decode = tpot * (length - Interval.exactly(1))
    expected = ttft + decode
    path = f"{point.path}.tpot"
    says = (
        f"TTFT {number(ttft)} ms and {close(length.middle - 1)} times TPOT {number(tpot)} ms "
        f"({statistic}) are {_seconds(expected)}"
    )
    if expected.widened(tolerance).overlaps(e2el):
        text = f"{says}; end to end {_seconds(e2el)} is published."
        return Finding(identity="end-to-end", path=path, outcome="holds", text=text)
    chunk = decode.middle / (e2el - ttft).middle
    text = f"{says}, but end to end {_seconds(e2el)} is published."
    if not 1 < chunk <= LARGEST_CHUNK:
        return Finding(identity="end-to-end", path=path, outcome="broken", text=text)
    text += (
        f" This TPOT is no time per token of these requests; it fits a gap between streamed "
        f"chunks of about {chunk:.1f} tokens. Shown as published."
    )
    return Finding(identity="end-to-end", path=path, outcome="remark", text=text)


def support(figures: Figures) -> Iterator[Finding]:
    """A percentile that the number of completed requests cannot support is said to be one."""
    for point in figures.points:
        for name, statistics in point.latencies.items():
            for statistic in statistics:
                if point.completed is None or is_supported(statistic, completed=point.completed):
                    continue
                text = (
                    f"{statistic} of {NAMES[name]} needs {NEEDED[statistic]} requests and rests on "
                    f"{point.completed}: it lies between the slowest few of the sample."
                )
                path = f"{point.path}.{name}.{statistic}"
                yield Finding(identity="support", path=path, outcome="remark", text=text)


def _seconds(milliseconds: Interval) -> str:
    return f"{close(milliseconds.middle / 1000)} s"
