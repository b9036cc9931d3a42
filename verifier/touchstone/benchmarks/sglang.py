"""SGLang `bench_serving`, one run a line. It counts no failures and does not name the model."""

from __future__ import annotations

from dataclasses import replace

from touchstone.benchmarks.checks import (
    MEND,
    check_rates,
    mean_length,
    needed_rate,
    remark_offered_rate,
)
from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.latencies import MILLISECONDS, flat_latencies
from touchstone.benchmarks.run import Run

TOOL = "sglang"
NAMES = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2e_latency"}


def recognises(result: Fields) -> bool:
    """Whether this is a line of `bench_serving`."""
    return result.has("backend", "output_throughput", "mean_e2e_latency_ms", "completed")


def version(result: Fields) -> str | None:
    """None: these files name no version."""
    return None


def read(result: Fields) -> list[Run]:
    """The run of a line. Raises BenchmarkError."""
    remarks: list[str] = []
    completed = result.needed("completed", result.count("completed"))
    if not completed:
        raise BenchmarkError(result.path("completed"), "no request succeeded", MEND)
    remark_offered_rate(result, remarks)
    output_tokens = result.count("total_output_tokens")
    prompt_tokens = result.count("total_input_tokens")
    _remark_counts(result, output_tokens, remarks)
    run = Run(
        tool=TOOL,
        concurrency=result.count("max_concurrency") or None,
        completed=completed,
        duration=result.figure("duration"),
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        prompt_length=mean_length(prompt_tokens, completed),
        output_length=mean_length(output_tokens, completed),
        output_rate=needed_rate(
            result.path("output_throughput"), result.figure("output_throughput")
        ),
        request_rate=result.figure("request_throughput"),
        latencies=flat_latencies(result, NAMES, "_ms", MILLISECONDS, remarks),
    )
    return [replace(run, remarks=(*remarks, *check_rates(run)))]


def _remark_counts(result: Fields, output_tokens: int | None, remarks: list[str]) -> None:
    again = result.count("total_output_tokens_retokenized")
    if again is not None and output_tokens is not None and again != output_tokens:
        remarks.append(
            f"the server counted {output_tokens} output tokens, the tool's tokenizer {again}; "
            "the server's count is used"
        )
