"""Which percentiles a sample can support."""

from __future__ import annotations

# 1 / (1 - q) requests: with fewer, the percentile lies between the slowest few of the sample.
NEEDED = {"mean": 1, "p50": 2, "p75": 4, "p90": 10, "p95": 20, "p99": 100}


def is_supported(statistic: str, *, completed: int) -> bool:
    """Whether `completed` requests can support a statistic such as ``p95``.

    Raises KeyError for a statistic that no definition may hold.
    """
    return completed >= NEEDED[statistic]
