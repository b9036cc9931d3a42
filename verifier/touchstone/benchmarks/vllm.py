"""`vllm bench serve --save-result`.

Its defaults leave out end-to-end latency and keep p99 alone; metadata values are text.
"""

from __future__ import annotations

from dataclasses import replace

from touchstone.benchmarks.checks import (
    check_rates,
    check_requests,
    mean_length,
    needed_rate,
    remark_offered_rate,
)
from touchstone.benchmarks.fields import Fields
from touchstone.benchmarks.latencies import MILLISECONDS, flat_latencies
from touchstone.benchmarks.run import LATENCIES, Run

TOOL = "vllm"
NAMES = {name: name for name in LATENCIES}
GPUS = ("gpu_count", "num_gpus", "gpus")
REVISION = ("model_revision", "revision")
SEED = ("seed",)
VERSION = ("vllm_version",)


def recognises(result: Fields) -> bool:
    """Whether this is a result of `vllm bench serve`."""
    return result.has("num_prompts", "output_throughput", "total_token_throughput", "tokenizer_id")


def version(result: Fields) -> str | None:
    """The version that the file names, if its metadata does."""
    return _metadata(result, VERSION)


def read(result: Fields) -> list[Run]:
    """The run of a result. Raises BenchmarkError."""
    remarks: list[str] = []
    requests = result.needed("num_prompts", result.count("num_prompts"))
    completed = result.needed("completed", result.count("completed"))
    failed = result.count("failed")
    failed = requests - completed if failed is None else failed
    remarks += check_requests(
        result.path("completed"), requests=requests, completed=completed, failed=failed
    )
    concurrency = result.count("max_concurrency") or None
    _remark_load(result, concurrency, remarks)
    output_tokens = result.count("total_output_tokens")
    prompt_tokens = result.count("total_input_tokens")
    run = Run(
        tool=TOOL,
        tool_version=version(result),
        model=result.text("model_id"),
        concurrency=concurrency,
        requests=requests,
        completed=completed,
        failed=failed,
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
        seed=_metadata(result, SEED),
        gpus=_gpus(result, remarks),
        revision=_metadata(result, REVISION),
    )
    return [replace(run, remarks=(*remarks, *check_rates(run)))]


def _remark_load(result: Fields, concurrency: int | None, remarks: list[str]) -> None:
    remark_offered_rate(result, remarks)
    peak = result.count("max_concurrent_requests")
    if peak and concurrency and peak > concurrency:
        remarks.append(
            f"max_concurrent_requests is {peak}, above max_concurrency {concurrency}: the tool "
            "counts every request of a second as concurrent in it"
        )


def _metadata(result: Fields, names: tuple[str, ...]) -> str | None:
    """What the person who ran the benchmark added with `--metadata`."""
    return next((text for name in names if (text := result.word(name))), None)


def _gpus(result: Fields, remarks: list[str]) -> int | None:
    text = _metadata(result, GPUS)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and 0 < int(text) < 10**6:
        return int(text)
    remarks.append(f"the metadata says that {text!r} GPUs served, which is taken as not said")
    return None
