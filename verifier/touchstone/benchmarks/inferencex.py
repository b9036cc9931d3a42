"""InferenceX (once InferenceMAX), the aggregate `agg_*.json` of its `process_result`.

Latencies are in seconds and throughputs per GPU; over several nodes, output throughput is per
*decode* GPU. How many requests were asked or completed is nowhere in it.
"""

from __future__ import annotations

from decimal import Decimal

from touchstone.benchmarks.checks import needed_rate
from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.latencies import SECONDS, flat_latencies
from touchstone.benchmarks.run import LATENCIES, Run

TOOL = "inferencex"
NAMES = {name: name for name in LATENCIES}


def recognises(result: Fields) -> bool:
    """Whether this is an aggregate result."""
    return result.has("hw", "conc", "tput_per_gpu", "output_tput_per_gpu")


def version(result: Fields) -> str | None:
    """None: these files name no version."""
    return None


def read(result: Fields) -> list[Run]:
    """The run of an aggregate result. Raises BenchmarkError."""
    remarks: list[str] = []
    gpus, producing = _gpus(result, remarks)
    per_gpu = needed_rate(result.path("output_tput_per_gpu"), result.figure("output_tput_per_gpu"))
    run = Run(
        tool=TOOL,
        model=result.text("model"),
        concurrency=result.count("conc") or None,
        prompt_length=_length(result, "isl"),
        output_length=_length(result, "osl"),
        output_rate=per_gpu * producing,
        latencies=flat_latencies(result, NAMES, "", SECONDS, remarks),
        gpus=gpus,
        remarks=tuple(remarks),
    )
    return [run]


def _gpus(result: Fields, remarks: list[str]) -> tuple[int, int]:
    """All GPUs, and those that the output throughput is divided by."""
    if not result.flag("is_multinode"):
        gpus = _parallel(result, "tp") * (result.count("pp") or 1)
        gpus *= result.count("pcp_size") or 1
        return gpus, gpus
    prefill = result.count("num_prefill_gpu") or 0
    decode = result.count("num_decode_gpu") or 0
    total = prefill + decode
    if not total:
        raise BenchmarkError(result.path("num_prefill_gpu"), "says that no GPU served")
    if decode:
        remarks.append(
            f"output_tput_per_gpu is per decode GPU: {decode} of {total}; the aggregate is of those"
        )
    return total, decode or total


def _parallel(result: Fields, name: str) -> int:
    size = result.needed(name, result.count(name))
    if size == 0:
        raise BenchmarkError(result.path(name), "must be at least 1")
    return size


def _length(result: Fields, name: str) -> Decimal | None:
    length = result.count(name)
    return Decimal(length) if length else None
