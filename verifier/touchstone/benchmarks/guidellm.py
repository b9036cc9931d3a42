"""guidellm, one run a benchmark of the file.

Its request latency is in seconds. Its time per output token counts the first token; its
inter-token latency, a mean over the tokens of a request after the first, is what TPOT means here.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from touchstone.benchmarks.checks import check_rates, check_requests, mean_length, needed_rate
from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.latencies import (
    MILLISECONDS,
    PERCENTILES,
    SECONDS,
    Latencies,
    add_latency,
)
from touchstone.benchmarks.run import Run

TOOL = "guidellm"
METRICS = (
    ("ttft", "time_to_first_token_ms", MILLISECONDS),
    ("tpot", "inter_token_latency_ms", MILLISECONDS),
    ("e2el", "request_latency", SECONDS),
)
TPOT = (
    "tpot: read from inter_token_latency_ms, which leaves out the first token; this tool's "
    "time_per_output_token_ms counts it"
)
SEVERAL = Decimal("1.05")  # tokens in one streamed chunk


def recognises(result: Fields) -> bool:
    """Whether this is a report of guidellm."""
    return result.has("metadata", "benchmarks") and result.section("metadata").has(
        "guidellm_version"
    )


def version(result: Fields) -> str | None:
    """The version that the file names."""
    return result.section("metadata").text("guidellm_version")


def read(result: Fields) -> list[Run]:
    """The runs of a report. Raises BenchmarkError."""
    spec = result.section("config").section("spec")
    seed = spec.section("seed").count("value")
    benchmarks = result.items("benchmarks")
    if not benchmarks:
        raise BenchmarkError(result.path("benchmarks"), "holds no benchmark")
    return [
        _run(each, version(result), None if seed is None else str(seed), spec.section("backend"))
        for each in benchmarks
    ]


def _run(benchmark: Fields, named: str | None, seed: str | None, backend: Fields) -> Run:
    metrics = benchmark.section("metrics")
    totals = metrics.section("request_totals")
    requests = totals.needed("total", totals.count("total"))
    completed = totals.needed("successful", totals.count("successful"))
    unfinished = totals.count("incomplete") or 0
    failed = (totals.count("errored") or 0) + unfinished
    remarks = list(
        check_requests(
            totals.path("successful"), requests=requests, completed=completed, failed=failed
        )
    )
    if unfinished:
        remarks.append(f"{unfinished} of the failed requests were cut off when the run ended")
    prompt_tokens = _total(metrics, "prompt_token_count")
    output_tokens = _total(metrics, "output_token_count")
    rate = _successful(metrics, "output_tokens_per_second")
    run = Run(
        tool=TOOL,
        tool_version=named,
        model=benchmark.section("config").section("backend").text("model") or backend.text("model"),
        concurrency=_concurrency(benchmark.section("config").section("strategy"), remarks),
        requests=requests,
        completed=completed,
        failed=failed,
        duration=benchmark.figure("duration"),
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        prompt_length=mean_length(prompt_tokens, completed),
        output_length=mean_length(output_tokens, completed),
        output_rate=needed_rate(rate.path("mean"), rate.figure("mean")),
        request_rate=_successful(metrics, "requests_per_second").figure("mean"),
        latencies=_latencies(metrics, remarks),
        seed=seed,
    )
    warnings = [each.note("message") for each in benchmark.items("warnings")]
    remarks += [f"the tool warns: {message}" for message in warnings if message]
    return replace(run, remarks=(*remarks, *check_rates(run)))


def _successful(metrics: Fields, name: str) -> Fields:
    return metrics.section(name).section("successful")


def _total(metrics: Fields, name: str) -> int | None:
    return _successful(metrics, name).count("total_sum")


def _concurrency(strategy: Fields, remarks: list[str]) -> int | None:
    kind = strategy.text("type_")
    if kind == "synchronous":
        return 1
    if kind == "concurrent":
        return strategy.count("streams") or strategy.count("max_concurrency") or None
    remarks.append(f"the load was {kind or 'not named'}, not a fixed number of requests at once")
    return None


def _latencies(metrics: Fields, remarks: list[str]) -> Latencies:
    found: Latencies = {}
    for name, theirs, scale in METRICS:
        values = _successful(metrics, theirs)
        percentiles = values.section("percentiles")
        said = {each: percentiles.figure(each) for each in PERCENTILES}
        add_latency(
            found,
            name,
            said | {"mean": values.figure("mean")},
            scale,
            metrics.path(theirs),
            remarks,
        )
    if "tpot" in found:
        remarks.append(TPOT)
    chunk = _successful(metrics, "output_tokens_per_iteration").figure("mean")
    if chunk and chunk > SEVERAL:
        remarks.append(f"a streamed chunk held {chunk:.2f} tokens on average")
    return found
