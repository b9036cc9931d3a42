"""NVIDIA aiperf, `profile_export_aiperf.json`.

It counts output tokens with a tokenizer of its own. Its inter-token latency is a mean over the
tokens of a request after the first: TPOT here. The gaps between chunks are its inter-chunk latency.
"""

from __future__ import annotations

from dataclasses import replace

from touchstone.benchmarks.checks import check_rates, check_requests, mean_length, needed_rate
from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.latencies import (
    MILLISECONDS,
    SECONDS,
    Latencies,
    add_latency,
    nested_latency,
)
from touchstone.benchmarks.run import Run

TOOL = "aiperf"
METRICS = (
    ("ttft", "time_to_first_token"),
    ("tpot", "inter_token_latency"),
    ("itl", "inter_chunk_latency"),
    ("e2el", "request_latency"),
)
SCALES = {"ms": MILLISECONDS, "s": SECONDS, "sec": SECONDS}
WHOLE = "run the benchmark to its end"


def recognises(result: Fields) -> bool:
    """Whether this is a summary of one aiperf run."""
    return result.has("aiperf_version", "request_throughput")


def version(result: Fields) -> str | None:
    """The version that the file names."""
    return result.text("aiperf_version")


def read(result: Fields) -> list[Run]:
    """The run of a summary. Raises BenchmarkError."""
    remarks: list[str] = []
    _refuse_partial(result)
    completed, failed = _requests(result)
    requests = completed + failed
    remarks += check_requests(
        result.path("request_count"), requests=requests, completed=completed, failed=failed
    )
    output_tokens = _scalar_count(result, "total_output_tokens")
    prompt_tokens = _scalar_count(result, "total_isl")
    _remark_counts(result, "output", output_tokens, "total_usage_completion_tokens", remarks)
    _remark_counts(result, "prompt", prompt_tokens, "total_usage_prompt_tokens", remarks)
    rate = result.section("output_token_throughput")
    config = result.section("input_config")
    models = config.section("models").items("items")
    phase = _phase(config)
    _remark_asked(phase, requests, remarks)
    run = Run(
        tool=TOOL,
        tool_version=version(result),
        model=models[0].text("name") if models else None,
        concurrency=phase.count("concurrency") or None,
        requests=requests,
        completed=completed,
        failed=failed,
        duration=result.section("benchmark_duration").figure("avg"),
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        prompt_length=mean_length(prompt_tokens, completed),
        output_length=mean_length(output_tokens, completed),
        output_rate=needed_rate(rate.path("avg"), rate.figure("avg")),
        request_rate=result.section("request_throughput").figure("avg"),
        latencies=_latencies(result, remarks),
        seed=_seed(result),
    )
    return [replace(run, remarks=(*remarks, *check_rates(run)))]


def _refuse_partial(result: Fields) -> None:
    if result.flag("was_cancelled"):
        raise BenchmarkError(result.path("was_cancelled"), "the run was cancelled", WHOLE)
    if result.flag("is_complete") is False:
        raise BenchmarkError(result.path("is_complete"), "the run is not complete", WHOLE)


def _requests(result: Fields) -> tuple[int, int]:
    """Completed and failed requests; the tool leaves out a count of errors that is 0."""
    completed = _scalar_count(result, "request_count")
    errors = _scalar_count(result, "error_request_count")
    listed = sum(each.count("count") or 0 for each in result.items("error_summary"))
    if errors is not None and errors < listed:
        problem = f"is {errors}, but error_summary lists {listed}"
        raise BenchmarkError(result.path("error_request_count"), problem)
    if completed is None and (errors or listed):
        completed = 0
    return result.needed("request_count", completed), listed if errors is None else errors


def _scalar_count(result: Fields, name: str) -> int | None:
    return result.section(name).count("avg")


def _phase(config: Fields) -> Fields:
    phases = [each for each in config.items("phases") if each.text("kind") == "profiling"]
    return phases[0] if len(phases) == 1 else Fields({})


def _remark_asked(phase: Fields, requests: int, remarks: list[str]) -> None:
    asked = phase.count("requests")
    if asked is not None and asked != requests:
        remarks.append(f"{asked} requests were configured, {requests} were counted")


def _remark_counts(
    result: Fields, which: str, tokens: int | None, usage: str, remarks: list[str]
) -> None:
    served = _scalar_count(result, usage)
    if served is not None and tokens is not None and served != tokens:
        remarks.append(
            f"the tool's tokenizer counted {tokens} {which} tokens, the server {served}: rates and "
            "TPOT are of the tool's count, and not to be compared with those of other tools"
        )


def _seed(result: Fields) -> str | None:
    seed = result.section("run_info").count("random_seed")
    return None if seed is None else str(seed)


def _latencies(result: Fields, remarks: list[str]) -> Latencies:
    found: Latencies = {}
    for name, theirs in METRICS:
        values = result.section(theirs)
        said = nested_latency(values, "avg")
        if not any(value is not None for value in said.values()):
            continue
        unit = values.text("unit")
        if unit not in SCALES:
            raise BenchmarkError(values.path("unit"), f"must be one of {', '.join(SCALES)}")
        add_latency(found, name, said, SCALES[unit], result.path(theirs), remarks)
    return found
