"""What is known to go wrong when results are read by the names of their fields, row by row."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from touchstone.benchmarks import Stated, read_runs

from tests.verifier.benchmarks import changed, document, raw, refusal, run_of


def lines(*results: object) -> bytes:
    return b"\n".join(json.dumps(each).encode() for each in results) + b"\n"


def test_a_run_in_which_every_request_failed_is_refused() -> None:
    error = refusal(raw("guidellm-all-failed"))
    assert error.field == "benchmarks[0].metrics.request_totals.successful"
    assert "none of 40 requests succeeded" in str(error)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("vllm-full", {"completed": 0, "failed": 40}),
        ("sglang", {"completed": 0}),
        ("aiperf", {"request_count": {"avg": 0.0}, "error_request_count": {"avg": 40.0}}),
        ("aiperf", {"request_count": None, "error_request_count": {"avg": 40.0}}),
        ("inferencex", {"output_tput_per_gpu": 0.0}),
    ],
)
def test_no_tool_gets_a_run_without_a_success_through(name: str, change: dict[str, object]) -> None:
    error = refusal(json.dumps(document(name) | change).encode())
    assert "succeeded" in error.problem or "no output token" in error.problem


def test_partial_failures_are_carried_and_remarked_on() -> None:
    run = run_of(json.dumps(document("vllm-full") | {"completed": 38, "failed": 2}).encode())
    assert (run.requests, run.completed, run.failed) == (40, 38, 2)
    assert "2 of 40 requests failed; every figure is of the 38 others" in run.remarks


def test_requests_that_do_not_add_up_are_refused() -> None:
    error = refusal(changed("vllm-full", "failed", 3))
    assert error.field == "completed"
    assert "40 completed and 3 failed are not the 40 requests asked" in error.problem


def test_defaults_of_vllm_leave_end_to_end_latency_absent_and_never_zero() -> None:
    assert "e2el" not in run_of(raw("vllm-defaults")).latencies


def test_the_text_inf_is_no_load_to_remark_on_and_a_number_is() -> None:
    assert not any("were sent at" in each for each in run_of(raw("vllm-full")).remarks)
    run = run_of(changed("vllm-full", "request_rate", 12.5))
    assert "requests were sent at 12.5 a second: concurrency was a limit only" in run.remarks


@pytest.mark.parametrize("count", ["0", "-1", "eight", "1e9", ""])
def test_a_gpu_count_that_is_nonsense_counts_as_not_said(count: str) -> None:
    data = document("vllm-full") | {"gpu_count": count or "none"}
    run = run_of(json.dumps(data).encode())
    assert run.gpus is None
    assert "gpus" in run.unanswered
    assert any("GPUs served, which is taken as not said" in each for each in run.remarks)


def test_metadata_of_vllm_may_say_what_its_file_cannot() -> None:
    told = {"gpu_count": "8", "seed": "7", "vllm_version": "0.21.0"}
    run = run_of(json.dumps(document("vllm-full") | told).encode())
    assert (run.gpus, run.seed, run.tool_version, run.missing) == (8, "7", "0.21.0", ())


def test_more_requests_at_once_than_the_limit_is_remarked_on() -> None:
    assert any("28, above max_concurrency 4" in each for each in run_of(raw("vllm-full")).remarks)


def test_median_and_p50_of_one_latency_must_be_one_figure() -> None:
    assert refusal(changed("vllm-full", "p50_ttft_ms", 20.0)).field == "p50_ttft_ms"


def test_sglang_writes_one_run_a_line() -> None:
    content = lines(document("sglang"), document("sglang") | {"max_concurrency": 16})
    runs = read_runs(content, stated=Stated(requests=41))
    assert [(run.concurrency, run.failed) for run in runs] == [(8, 1), (16, 1)]


def test_a_bare_infinity_names_its_line_and_field_and_the_way_out() -> None:
    bad = raw("sglang").replace(b'"inf"', b"Infinity")
    assert str(refusal(raw("sglang") + b"\n" + bad)) == (
        "line 2, request_rate: Infinity is no number of JSON; "
        'where it means "no limit", write the text "inf" in its place, else run the benchmark again'
    )


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_of_json_is_refused_with_its_field(written: str) -> None:
    bad = raw("aiperf").replace(b"39.32514525", written.encode(), 1)
    assert refusal(bad).field == "time_to_first_token.avg"


def test_guidellm_counts_request_latency_in_seconds() -> None:
    data = document("guidellm")
    latency = data["benchmarks"][0]["metrics"]["request_latency"]["successful"]["mean"]
    found = run_of(raw("guidellm")).latencies["e2el"]["mean"]
    assert found == Decimal(repr(latency)) * 1000


def test_tpot_of_guidellm_leaves_out_the_first_token() -> None:
    data = document("guidellm")["benchmarks"][0]["metrics"]
    run = run_of(raw("guidellm"))
    tpot = run.latencies["tpot"]["mean"]
    assert float(tpot) == data["inter_token_latency_ms"]["successful"]["mean"]
    assert float(tpot) < data["time_per_output_token_ms"]["successful"]["mean"]
    assert "itl" not in run.latencies
    assert any("time_per_output_token_ms counts it" in each for each in run.remarks)


def test_requests_that_guidellm_cut_off_count_as_failed() -> None:
    totals = {"successful": 37, "errored": 1, "incomplete": 2, "total": 40}
    run = run_of(changed("guidellm", "benchmarks.0.metrics.request_totals", totals))
    assert (run.completed, run.failed) == (37, 3)
    assert "2 of the failed requests were cut off when the run ended" in run.remarks


def test_aiperf_counts_tokens_with_a_tokenizer_of_its_own() -> None:
    remarks = run_of(raw("aiperf")).remarks
    assert any("counted 1227 output tokens, the server 1280" in each for each in remarks)
    same = run_of(changed("aiperf", "total_usage_completion_tokens.avg", 1227.0))
    assert same.remarks == ()


def test_the_inter_token_latency_of_aiperf_is_tpot_and_its_chunks_are_itl() -> None:
    data, found = document("aiperf"), run_of(raw("aiperf")).latencies
    assert float(found["tpot"]["p50"]) == data["inter_token_latency"]["p50"]
    assert float(found["itl"]["p50"]) == data["inter_chunk_latency"]["p50"]


@pytest.mark.parametrize(("field", "value"), [("was_cancelled", True), ("is_complete", False)])
def test_part_of_a_run_of_aiperf_is_refused(field: str, value: bool) -> None:
    assert refusal(changed("aiperf", field, value)).field == field


def test_failures_of_aiperf_are_found_in_its_summary_of_errors() -> None:
    listed = [{"error_details": {"code": 500}, "count": 3}]
    run = run_of(changed("aiperf", "error_summary", listed))
    assert (run.requests, run.completed, run.failed) == (43, 40, 3)
    assert "40 requests were configured, 43 were counted" in run.remarks


def test_a_unit_that_is_not_known_is_refused() -> None:
    assert refusal(changed("aiperf", "request_latency.unit", "min")).field == "request_latency.unit"


def test_a_throughput_that_its_own_counts_contradict_is_remarked_on() -> None:
    run = run_of(changed("vllm-full", "output_throughput", 820.0))
    assert run.remarks[-1] == (
        "output tokens per second is given as 820.00, but 1280 output tokens in 1.584 s make 808.11"
    )
    assert run_of(changed("vllm-full", "output_throughput", 815.0)).remarks[-1] != run.remarks[-1]


def test_a_latency_of_zero_is_absent_and_remarked_on() -> None:
    data = document("vllm-full")
    zeros = {name: 0.0 for name in data if name.endswith("_ttft_ms")}
    run = run_of(json.dumps(data | zeros).encode())
    assert "ttft" not in run.latencies
    assert any("ttft_ms is 0 for mean, p50, p95, p99" in each for each in run.remarks)


def test_percentiles_out_of_order_are_refused() -> None:
    error = refusal(changed("vllm-full", "p95_ttft_ms", 60.0))
    assert (error.field, error.problem[:8]) == ("ttft_ms", "p95 is 6")
