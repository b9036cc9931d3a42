"""Which files are results at all, of which versions, and what a person may state beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from touchstone.benchmarks import BenchmarkError, Stated, read_runs

from tests.verifier.benchmarks import GOOD, MADE, changed, document, raw, refusal, run_of

NAMES = (*GOOD, *MADE)
SMALL = ("vllm-full", "aiperf", *MADE)
attack = settings(deadline=None, max_examples=150)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.lists(st.none() | st.integers(), max_size=2),
)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "file: not JSON"),
        (b"[]", "file: holds no result"),
        (b"7", "file: must be a JSON object"),
        (b"{}", "file: is no result of a known tool"),
        (b"\xff{}", "file: not UTF-8"),
        (b'{"a": 1, "a": 2}', "file: the name 'a' appears twice"),
        (raw("vllm-full")[:-200], "file: not JSON"),
        (raw("sglang") + b"\n" + raw("sglang")[:99], "line 2: not JSON"),
        (b"[" * 100_000, "file: nested too deeply"),
        (b" " * (17 << 20), "file: larger than"),
        (b'{"duration": ' + b"9" * 5000 + b"}", "file: not JSON"),
        (raw("sglang") + b"\n" + raw("inferencex"), "file: holds results of several tools"),
        (b"\n".join([raw("sglang")] * 501), "file: holds more than 500 results"),
    ],
)
def test_what_is_no_result_is_refused(content: bytes, said: str) -> None:
    assert str(refusal(content)).startswith(said)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("vllm-full", "duration", -1.0),
        ("vllm-full", "completed", 39.5),
        ("vllm-full", "total_output_tokens", "1280"),
        ("vllm-full", "output_throughput", 10**15),
        ("vllm-full", "model_id", "a\nb"),
        ("vllm-full", "completed", None),
        ("aiperf", "request_latency", 5),
        ("aiperf", "error_summary", [5]),
        ("aiperf", "was_cancelled", "no"),
        ("inferencex", "tp", 0),
        ("guidellm", "benchmarks", []),
    ],
)
def test_a_field_that_cannot_be_is_named(name: str, field: str, value: Any) -> None:
    assert refusal(changed(name, field, value)).field == field


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("vllm-full", "0.9.2"),
        ("vllm-full", "1.0.0"),
        ("vllm-full", "latest"),
        ("sglang", "0.3.9"),
        ("inferencex", "1.0"),
    ],
)
def test_a_stated_version_that_is_not_known_is_refused(name: str, version: str) -> None:
    error = refusal(raw(name), tool_version=version)
    assert error.field == "tool_version"
    assert "is not known here" in error.problem


@pytest.mark.parametrize(
    ("name", "path", "version"),
    [
        ("guidellm", "metadata.guidellm_version", "0.9.0"),
        ("guidellm", "metadata.guidellm_version", "0.7.1"),
        ("aiperf", "aiperf_version", "0.12.0"),
        ("aiperf", "aiperf_version", "0.15.0"),
    ],
)
def test_a_version_of_the_file_that_is_not_known_is_refused(
    name: str, path: str, version: str
) -> None:
    assert refusal(changed(name, path, version)).field == "tool_version"


@pytest.mark.parametrize(
    ("name", "version"),
    [("vllm-full", "v0.21.0rc1"), ("sglang", "0.5.6.post2"), ("inferencex", "0ab12cd")],
)
def test_a_known_version_is_taken(name: str, version: str) -> None:
    run = run_of(raw(name), tool_version=version)
    assert run.tool_version == version
    assert ("tool_version", version) in run.supplied


def test_what_was_stated_fills_what_the_file_cannot_say() -> None:
    run = run_of(raw("vllm-full"), tool_version="0.21.0", gpus=8, seed="7")
    assert (run.gpus, run.seed, run.unanswered) == (8, "7", ())
    assert run.supplied == (("tool_version", "0.21.0"), ("gpus", "8"), ("seed", "7"))


def test_stating_what_the_file_says_is_no_supplement() -> None:
    assert run_of(raw("guidellm"), seed="7", concurrency=4).supplied == ()


def test_stating_otherwise_than_the_file_is_refused() -> None:
    error = refusal(raw("guidellm"), seed="8")
    assert (error.field, error.problem) == ("seed", "the file says 7, but 8 was stated")


def test_stated_requests_must_cover_the_completed_ones() -> None:
    assert run_of(raw("sglang"), requests=42).failed == 2
    assert refusal(raw("sglang"), requests=39).field == "requests"


def reads_or_refuses(content: bytes) -> None:
    """Anything but a refusal would come out of here as the test's failure."""
    try:
        runs = read_runs(content, stated=Stated())
    except BenchmarkError:
        return
    for run in runs:
        assert run.output_rate > 0
        assert run.completed != 0
        assert all(value > 0 for each in run.latencies.values() for value in each.values())


@attack
@given(name=st.sampled_from(SMALL), at=st.integers(0, 10**6), bits=st.integers(1, 255))
def test_a_flipped_byte_is_read_or_refused(name: str, at: int, bits: int) -> None:
    content = bytearray(raw(name))
    content[at % len(content)] ^= bits
    reads_or_refuses(bytes(content))


@attack
@given(name=st.sampled_from(NAMES), part=st.floats(0, 1, exclude_max=True))
def test_a_file_that_is_cut_off_is_refused(name: str, part: float) -> None:
    content = raw(name).rstrip()
    refusal(content[: int(len(content) * part)])


@attack
@given(name=st.sampled_from(NAMES), data=st.data())
def test_any_field_may_hold_anything(name: str, data: st.DataObject) -> None:
    result = at = document(name)
    while True:
        field = data.draw(st.sampled_from(sorted(at)))
        below = at[field]
        if isinstance(below, list) and below and isinstance(below[0], dict):
            below = below[0]
        if not isinstance(below, dict) or not below or data.draw(st.booleans()):
            break
        at = below
    at[field] = data.draw(VALUES)
    reads_or_refuses(json.dumps(result).encode())
