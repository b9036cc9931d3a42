"""Whether the figures of one result agree with each other."""

from __future__ import annotations

from decimal import Decimal

from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.run import Run

TOLERANCE = Decimal("0.01")
MEND = "mend what refused the requests, and run the benchmark again"


def check_requests(path: str, *, requests: int, completed: int, failed: int) -> tuple[str, ...]:
    """Remark on requests that failed.

    Raises BenchmarkError where none succeeded, or where they do not add up.
    """
    if completed == 0:
        raise BenchmarkError(path, f"none of {requests} requests succeeded", MEND)
    if completed + failed != requests:
        problem = f"{completed} completed and {failed} failed are not the {requests} requests asked"
        raise BenchmarkError(path, problem)
    if not failed:
        return ()
    return (f"{failed} of {requests} requests failed; every figure is of the {completed} others",)


def check_rates(run: Run) -> tuple[str, ...]:
    """Remark on a rate that is not its count over the duration, within one percent."""
    pairs = (
        ("output tokens per second", run.output_rate, "output tokens", run.output_tokens),
        ("requests per second", run.request_rate, "completed requests", run.completed),
    )
    return tuple(
        remark for pair in pairs for remark in _rate_remark(*pair, run.duration or Decimal(0))
    )


def _rate_remark(
    name: str, rate: Decimal | None, what: str, count: int | None, duration: Decimal
) -> tuple[str, ...]:
    if not (rate and count and duration):
        return ()
    computed = count / duration
    if abs(computed - rate) <= TOLERANCE * rate:
        return ()
    said = f"{name} is given as {rate:.2f}"
    return (f"{said}, but {count} {what} in {duration:.3f} s make {computed:.2f}",)


def mean_length(tokens: int | None, completed: int | None) -> Decimal | None:
    """Tokens of one request on average, where both are known."""
    return Decimal(tokens) / completed if tokens is not None and completed else None


def needed_rate(path: str, rate: Decimal | None) -> Decimal:
    """Refuse a throughput that is absent or nothing: there is no point of a curve in it."""
    if not rate:
        raise BenchmarkError(path, "no output token was measured", MEND)
    return rate


def remark_offered_rate(result: Fields, remarks: list[str]) -> None:
    """Remark on requests that were sent at a rate of their own, not as fast as answers came."""
    rate = result.word("request_rate")
    if rate not in {None, "inf"}:
        remarks.append(f"requests were sent at {rate} a second: concurrency was a limit only")
