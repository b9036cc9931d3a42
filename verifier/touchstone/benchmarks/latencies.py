"""Latencies of a result, by statistic: in milliseconds, in order, and absent where not measured."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise

from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.run import STATISTICS

PERCENTILES = STATISTICS[1:]
MILLISECONDS = Decimal(1)
SECONDS = Decimal(1000)
Latencies = dict[str, dict[str, Decimal]]


def flat_latencies(
    result: Fields, names: Mapping[str, str], ending: str, scale: Decimal, remarks: list[str]
) -> Latencies:
    """Latencies whose statistics are fields of the result, such as ``median_ttft_ms``."""
    found: Latencies = {}
    for ours, theirs in names.items():
        said = {each: result.figure(f"{each}_{theirs}{ending}") for each in (*PERCENTILES, "mean")}
        median = result.figure(f"median_{theirs}{ending}")
        if said["p50"] is None:
            said["p50"] = median
        elif median not in (None, said["p50"]):
            problem = f"is {said['p50']}, but the median is {median}"
            raise BenchmarkError(result.path(f"p50_{theirs}{ending}"), problem)
        add_latency(found, ours, said, scale, result.path(f"{theirs}{ending}"), remarks)
    return found


def nested_latency(values: Fields, mean: str) -> dict[str, Decimal | None]:
    """A latency whose statistics are an object of their own."""
    return {each: values.figure(mean if each == "mean" else each) for each in STATISTICS}


def add_latency(
    found: Latencies,
    name: str,
    said: Mapping[str, Decimal | None],
    scale: Decimal,
    path: str,
    remarks: list[str],
) -> None:
    """Add what was measured of one latency to `found`.

    Tools write 0 for what they did not measure: it is left out with a remark. Raises
    BenchmarkError where a lower percentile is above a higher one.
    """
    there = {each: value for each in STATISTICS if (value := said.get(each)) is not None}
    measured = {each: value * scale for each, value in there.items() if value}
    zeros = [each for each in there if each not in measured]
    if zeros:
        remarks.append(f"{name}: {path} is 0 for {', '.join(zeros)}: not measured, so left out")
    order = [(each, value) for each, value in measured.items() if each != "mean"]
    for (low, below), (high, above) in pairwise(order):
        if below > above:
            raise BenchmarkError(path, f"{low} is {below}, above {high}, which is {above}")
    if measured:
        found[name] = measured
