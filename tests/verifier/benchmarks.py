"""Result files: those that the tools wrote, and two made by hand after the source of the tools."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from touchstone.benchmarks import BenchmarkError, Run, Stated, read_runs

BENCH = Path(__file__).resolve().parent.parent / "bench"
GOOD = ("vllm-full", "vllm-defaults", "guidellm", "aiperf")

# A line of SGLang's bench_serving, field for field as its source writes it.
SGLANG: dict[str, Any] = {
    "tag": None,
    "backend": "sglang",
    "dataset_name": "random",
    "request_rate": "inf",
    "max_concurrency": 8,
    "sharegpt_output_len": None,
    "random_input_len": 64,
    "random_output_len": 32,
    "random_range_ratio": 1.0,
    "server_info": {"model_path": "tiny", "tp_size": 1},
    "duration": 2.0,
    "completed": 40,
    "total_input_tokens": 2560,
    "total_output_tokens": 1280,
    "total_output_tokens_retokenized": 1275,
    "request_throughput": 20.0,
    "input_throughput": 1280.0,
    "output_throughput": 640.0,
    "total_throughput": 1920.0,
    "mean_e2e_latency_ms": 390.5,
    "median_e2e_latency_ms": 388.25,
    "std_e2e_latency_ms": 10.0,
    "p99_e2e_latency_ms": 420.75,
    "mean_ttft_ms": 40.5,
    "median_ttft_ms": 39.5,
    "std_ttft_ms": 3.0,
    "p99_ttft_ms": 60.5,
    "mean_tpot_ms": 11.5,
    "median_tpot_ms": 11.25,
    "std_tpot_ms": 0.5,
    "p99_tpot_ms": 13.5,
    "mean_itl_ms": 11.5,
    "median_itl_ms": 11.0,
    "std_itl_ms": 1.5,
    "p95_itl_ms": 14.0,
    "p99_itl_ms": 19.5,
    "concurrency": 7.8,
    "accept_length": None,
}

# An aggregate of InferenceX, as its process_result writes it for one node.
INFERENCEX: dict[str, Any] = {
    "hw": "b300",
    "conc": 64,
    "image": "vllm/vllm-openai:v0.21.0",
    "model": "example/tiny",
    "infmax_model_prefix": "tiny",
    "framework": "vllm",
    "precision": "fp8",
    "spec_decoding": "none",
    "disagg": False,
    "isl": 64,
    "osl": 32,
    "is_multinode": False,
    "tp": 8,
    "ep": 1,
    "dp_attention": "false",
    "tput_per_gpu": 300.0,
    "output_tput_per_gpu": 100.5,
    "input_tput_per_gpu": 199.5,
    "mean_ttft": 0.25,
    "median_ttft": 0.2,
    "p99_ttft": 0.75,
    "mean_tpot": 0.0125,
    "median_tpot": 0.012,
    "p99_tpot": 0.02,
    "median_intvty": 83.3,
    "mean_e2el": 0.65,
    "median_e2el": 0.6,
    "p99_e2el": 1.25,
}
MADE = {"sglang": SGLANG, "inferencex": INFERENCEX}


def raw(name: str) -> bytes:
    """The bytes of a result."""
    return (
        json.dumps(MADE[name]).encode() if name in MADE else (BENCH / f"{name}.json").read_bytes()
    )


def document(name: str) -> dict[str, Any]:
    """A result as data that a test may change."""
    found: dict[str, Any] = json.loads(raw(name))
    return found


def changed(name: str, path: str, value: Any) -> bytes:
    """A result in which the field at a path such as ``metadata.version`` is another value."""
    data: Any = document(name)
    at = data
    *above, last = path.split(".")
    for part in above:
        at = at[int(part)] if isinstance(at, list) else at[part]
    at[last] = value
    return json.dumps(data).encode()


def run_of(content: bytes, **stated: Any) -> Run:
    """The one run of a result."""
    (run,) = read_runs(content, stated=Stated(**stated))
    return run


def refusal(content: bytes, **stated: Any) -> BenchmarkError:
    """Why a result is refused."""
    with pytest.raises(BenchmarkError) as refused:
        read_runs(content, stated=Stated(**stated))
    return refused.value


def rounded(values: Any) -> dict[str, str]:
    """The statistics of a latency to three decimals, as text."""
    return {name: f"{value.quantize(Decimal('0.001'))}" for name, value in values.items()}
