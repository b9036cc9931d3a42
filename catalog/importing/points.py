"""A run as a point of the serving curve and an entry of the raw files."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from touchstone.benchmarks import LATENCIES, Run

from .results import Measured, ResultFile

MILLISECONDS = Decimal("0.001")
TOKEN_RATE = Decimal("0.01")
# A request of thousands of tokens takes minutes: two decimals would round its rate by percents.
REQUEST_RATE = Decimal("0.0001")


def point_of(measured: Measured, *, profile: str, gpus: int) -> dict[str, Any]:
    """The fields of a point, in the order of the definition; what was not measured is left out."""
    run = measured.run
    point: dict[str, Any] = {
        "profile": profile,
        "concurrency": run.concurrency,
        "requests": run.requests,
        "completed": run.completed,
        "failed": run.failed,
        "per_gpu": _rounded(run.output_rate / gpus, TOKEN_RATE),
        "aggregate": _rounded(run.output_rate, TOKEN_RATE),
    }
    point |= {name: _latency(run, name) for name in LATENCIES}
    point |= {
        "request_rate": _rounded(run.request_rate, REQUEST_RATE),
        "duration": _rounded(run.duration, MILLISECONDS),
        "prompt_tokens": run.prompt_tokens,
        "output_tokens": run.output_tokens,
        "raw": measured.file.sha256,
    }
    return {name: value for name, value in point.items() if value is not None}


def raw_file_of(file: ResultFile, run: Run) -> dict[str, Any]:
    """The entry of a result file: the tool, and what a person had to say for it."""
    supplied = [
        {"name": name.replace("_", "-"), "value": value} for name, value in sorted(run.supplied)
    ]
    entry: dict[str, Any] = {
        "path": f"raw/{file.name}",
        "sha256": file.sha256,
        "tool": run.tool,
        "tool_version": run.tool_version,
    }
    return entry | ({"supplied": supplied} if supplied else {})


def _latency(run: Run, name: str) -> dict[str, Any] | None:
    values = run.latencies.get(name)
    if not values:
        return None
    rounded = {each: _rounded(value, MILLISECONDS) for each, value in values.items()}
    return {"unit": "ms", **rounded}


def _rounded(value: Decimal | None, step: Decimal) -> Decimal | None:
    return None if value is None else value.quantize(step, rounding=ROUND_HALF_EVEN)
