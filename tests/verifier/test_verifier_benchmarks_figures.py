"""Every figure of the tools' own files, at the place where a definition has it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.verifier.benchmarks import document, raw, rounded, run_of

PLAIN: dict[str, dict[str, Any]] = {
    "vllm-full": {
        "tool": "vllm",
        "tool_version": None,
        "model": "tiny",
        "concurrency": 4,
        "requests": 40,
        "completed": 40,
        "failed": 0,
        "duration": Decimal("1.5839332400000785"),
        "prompt_tokens": 2596,
        "output_tokens": 1280,
        "prompt_length": Decimal("64.9"),
        "output_length": Decimal(32),
        "output_rate": Decimal("808.1148672654515"),
        "request_rate": Decimal("25.25358960204536"),
        "seed": None,
        "gpus": None,
        "revision": "abc",
        "missing": ("tool_version", "gpus", "seed"),
    },
    "vllm-defaults": {
        "tool": "vllm",
        "duration": Decimal("1.7496281070002624"),
        "output_rate": Decimal("731.5840405619456"),
        "request_rate": Decimal("22.8620012675608"),
        "revision": None,
        "missing": ("tool_version", "gpus", "seed", "revision"),
    },
    "guidellm": {
        "tool": "guidellm",
        "tool_version": "0.8.1",
        "model": "tiny",
        "concurrency": 4,
        "requests": 40,
        "completed": 40,
        "failed": 0,
        "duration": Decimal("1.6930532455444336"),
        "prompt_tokens": 2560,
        "output_tokens": 1280,
        "prompt_length": Decimal(64),
        "output_length": Decimal(32),
        "output_rate": Decimal("756.0305639344447"),
        "request_rate": Decimal("23.625955122951396"),
        "seed": "7",
        "gpus": None,
        "revision": None,
        "missing": ("gpus", "revision"),
    },
    "aiperf": {
        "tool": "aiperf",
        "tool_version": "0.13.0",
        "model": "tiny",
        "concurrency": 4,
        "requests": 40,
        "completed": 40,
        "failed": 0,
        "duration": Decimal("2.5741824"),
        "prompt_tokens": 2560,
        "output_tokens": 1227,
        "prompt_length": Decimal(64),
        "output_length": Decimal("30.675"),
        "output_rate": Decimal("473.86506544888147"),
        "request_rate": Decimal("15.447923894014066"),
        "seed": "7",
        "gpus": None,
        "revision": None,
        "missing": ("gpus", "revision"),
    },
    "sglang": {
        "tool": "sglang",
        "tool_version": None,
        "model": None,
        "concurrency": 8,
        "requests": None,
        "completed": 40,
        "failed": None,
        "duration": Decimal("2.0"),
        "prompt_tokens": 2560,
        "output_tokens": 1280,
        "output_rate": Decimal("640.0"),
        "request_rate": Decimal("20.0"),
        "missing": ("tool_version", "model", "requests", "gpus", "seed", "revision"),
    },
    "inferencex": {
        "tool": "inferencex",
        "tool_version": None,
        "model": "example/tiny",
        "concurrency": 64,
        "requests": None,
        "completed": None,
        "duration": None,
        "prompt_tokens": None,
        "output_tokens": None,
        "prompt_length": Decimal(64),
        "output_length": Decimal(32),
        "output_rate": Decimal("804.0"),
        "request_rate": None,
        "gpus": 8,
        "missing": ("tool_version", "requests", "completed", "seed", "revision"),
    },
}
LATENCIES = {
    "vllm-full": {
        "ttft": {"mean": "22.405", "p50": "20.155", "p95": "49.402", "p99": "49.844"},
        "tpot": {"mean": "4.354", "p50": "4.353", "p95": "4.802", "p99": "4.869"},
        "itl": {"mean": "4.354", "p50": "4.123", "p95": "6.227", "p99": "8.843"},
        "e2el": {"mean": "157.392", "p50": "154.981", "p95": "173.695", "p99": "174.222"},
    },
    "vllm-defaults": {
        "ttft": {"mean": "27.253", "p50": "20.483", "p99": "85.584"},
        "tpot": {"mean": "4.724", "p50": "4.451", "p99": "5.981"},
        "itl": {"mean": "4.724", "p50": "4.268", "p99": "10.670"},
    },
    "guidellm": {
        "ttft": {
            "mean": "36.956",
            "p50": "29.263",
            "p75": "40.440",
            "p90": "50.529",
            "p95": "94.681",
            "p99": "125.734",
        },
        "tpot": {
            "mean": "3.678",
            "p50": "3.359",
            "p75": "3.817",
            "p90": "4.283",
            "p95": "6.240",
            "p99": "8.077",
        },
        "e2el": {
            "mean": "162.638",
            "p50": "146.803",
            "p75": "151.919",
            "p90": "161.893",
            "p95": "314.766",
            "p99": "324.337",
        },
    },
    "aiperf": {
        "ttft": {
            "mean": "39.325",
            "p50": "31.716",
            "p75": "42.871",
            "p90": "74.697",
            "p95": "85.602",
            "p99": "129.398",
        },
        "tpot": {
            "mean": "6.872",
            "p50": "5.321",
            "p75": "9.455",
            "p90": "11.059",
            "p95": "11.966",
            "p99": "18.858",
        },
        "itl": {
            "mean": "19.589",
            "p50": "13.272",
            "p75": "25.607",
            "p90": "42.692",
            "p95": "51.963",
            "p99": "82.752",
        },
        "e2el": {
            "mean": "233.745",
            "p50": "170.757",
            "p75": "338.503",
            "p90": "364.661",
            "p95": "394.409",
            "p99": "415.544",
        },
    },
    "sglang": {
        "ttft": {"mean": "40.500", "p50": "39.500", "p99": "60.500"},
        "tpot": {"mean": "11.500", "p50": "11.250", "p99": "13.500"},
        "itl": {"mean": "11.500", "p50": "11.000", "p95": "14.000", "p99": "19.500"},
        "e2el": {"mean": "390.500", "p50": "388.250", "p99": "420.750"},
    },
    "inferencex": {
        "ttft": {"mean": "250.000", "p50": "200.000", "p99": "750.000"},
        "tpot": {"mean": "12.500", "p50": "12.000", "p99": "20.000"},
        "e2el": {"mean": "650.000", "p50": "600.000", "p99": "1250.000"},
    },
}


@pytest.mark.parametrize("name", PLAIN)
def test_counts_and_rates_are_those_of_the_file(name: str) -> None:
    run = run_of(raw(name))
    assert {field: getattr(run, field) for field in PLAIN[name]} == PLAIN[name]


@pytest.mark.parametrize("name", LATENCIES)
def test_latencies_are_those_of_the_file_in_milliseconds(name: str) -> None:
    found: Any = run_of(raw(name)).latencies
    assert {each: rounded(values) for each, values in found.items()} == LATENCIES[name]


def test_no_digit_of_a_figure_is_lost_on_the_way() -> None:
    figure = document("vllm-full")["p99_e2el_ms"]
    assert str(run_of(raw("vllm-full")).latencies["e2el"]["p99"]) == repr(figure)


def test_the_gpus_of_an_aggregate_multiply_through_its_parallelism() -> None:
    data = document("inferencex") | {"pp": 2, "pcp_size": 2, "dcp_size": 4}
    run = run_of(json.dumps(data).encode())
    assert (run.gpus, run.output_rate) == (32, Decimal("3216.0"))


def test_over_several_nodes_output_is_per_decode_gpu_alone() -> None:
    data = document("inferencex") | {
        "is_multinode": True,
        "num_prefill_gpu": 16,
        "num_decode_gpu": 8,
    }
    run = run_of(json.dumps(data).encode())
    assert (run.gpus, run.output_rate) == (24, Decimal("804.0"))
    assert run.remarks == (
        "output_tput_per_gpu is per decode GPU: 8 of 24; the aggregate is of those",
    )
