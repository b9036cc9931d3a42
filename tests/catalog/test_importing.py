"""Results become points of a definition: rounded once, in order, with everything else untouched."""

from __future__ import annotations

import difflib
import json
from decimal import Decimal
from typing import Any

import pytest

from catalog.definition.measurements import MeasuredPoint
from catalog.importing import Imported, ResultFile
from tests.catalog.importing import imported, package_text, refusals, result

VLLM: dict[str, Any] = {"gpus": 8, "seed": "7", "tool_version": "0.21.0"}


def at(found: Imported, concurrency: int) -> MeasuredPoint:
    (point,) = [p for p in found.definition.measured_points if p.concurrency == concurrency]
    return point


def vllm_at(concurrency: int, **changed: Any) -> ResultFile:
    data = json.loads(result("vllm-full").raw) | {"max_concurrency": concurrency} | changed
    return ResultFile(name=f"c{concurrency}.json", raw=json.dumps(data).encode())


def levels(found: Imported) -> list[tuple[str, int, bool]]:
    return [(p.profile, p.concurrency, p.characterised) for p in found.definition.serving_curve]


def test_every_figure_of_a_point_is_that_of_the_file() -> None:
    point = at(imported(result("vllm-full"), **VLLM), 4)
    assert point.model_dump(exclude_none=True) == {
        "profile": "interactive",
        "concurrency": 4,
        "requests": 40,
        "completed": 40,
        "failed": 0,
        "per_gpu": Decimal("101.01"),
        "aggregate": Decimal("808.11"),
        "ttft": _ms(mean="22.405", p50="20.155", p95="49.402", p99="49.844"),
        "tpot": _ms(mean="4.354", p50="4.353", p95="4.802", p99="4.869"),
        "itl": _ms(mean="4.354", p50="4.123", p95="6.227", p99="8.843"),
        "e2el": _ms(mean="157.392", p50="154.981", p95="173.695", p99="174.222"),
        "request_rate": Decimal("25.2536"),
        "duration": Decimal("1.584"),
        "prompt_tokens": 2596,
        "output_tokens": 1280,
        "raw": result("vllm-full").sha256,
        "characterised": True,
    }


def _ms(**values: str) -> dict[str, Any]:
    return {"unit": "ms", **{name: Decimal(value) for name, value in values.items()}}


@pytest.mark.parametrize(("written", "rounded"), [(2.0005, "2.000"), (2.0015, "2.002")])
def test_halves_are_rounded_to_the_even_digit(written: float, rounded: str) -> None:
    found = at(imported(vllm_at(4, mean_ttft_ms=written), **VLLM), 4)
    assert found.ttft.mean == Decimal(rounded)


def test_only_lines_of_the_new_point_and_of_its_file_are_added() -> None:
    before, after = package_text(), imported(result("vllm-full"), **VLLM).package.decode()
    changes = list(difflib.ndiff(before.split("\n"), after.split("\n")))
    assert not [line for line in changes if line.startswith("- ")]
    assert len([line for line in changes if line.startswith("+ ")]) == 26


def test_the_raw_file_is_listed_with_what_was_supplied() -> None:
    (file,) = imported(result("vllm-full"), **VLLM).definition.raw_files
    assert (file.path, file.tool, file.tool_version) == ("raw/vllm-full.json", "vllm", "0.21.0")
    assert {each.name: each.value for each in file.supplied} == {
        "gpus": "8",
        "seed": "7",
        "tool-version": "0.21.0",
    }


def test_files_become_a_curve_in_order_of_concurrency() -> None:
    found = imported(vllm_at(64), vllm_at(2), vllm_at(16), **VLLM)
    assert levels(found) == [
        ("interactive", 1, True),
        ("interactive", 2, True),
        ("interactive", 8, True),
        ("interactive", 16, True),
        ("interactive", 32, True),
        ("interactive", 64, True),
        ("interactive", 128, False),
    ]
    assert [row.run.concurrency for row in found.rows] == [2, 16, 64]


def test_a_profile_without_points_gets_its_own_at_the_end() -> None:
    found = imported(vllm_at(8), vllm_at(4), profile="batch", **VLLM)
    assert levels(found)[-2:] == [("batch", 4, True), ("batch", 8, True)]


def test_a_point_that_nobody_measured_gives_way_and_its_neighbours_stay() -> None:
    found = imported(vllm_at(128), **VLLM)
    assert levels(found)[-1] == ("interactive", 128, True)
    assert found.package.count(b"\nother_points:\n") == 1
    assert any(each.startswith("not_measured[4]: still says") for each in found.remarks)


def test_a_measured_point_stays_unless_its_replacement_is_asked_for() -> None:
    (problem,) = refusals(vllm_at(8), **VLLM)
    assert problem.path == "serving_curve[1]"
    found = imported(vllm_at(8), replace=True, **VLLM)
    assert at(found, 8).aggregate == Decimal("808.11")
    assert any(each.startswith("comparisons[0]: has a percentage") for each in found.remarks)


def test_a_replaced_point_takes_its_raw_file_with_it() -> None:
    first = imported(vllm_at(4), vllm_at(16), **VLLM).package.decode()
    again = imported(vllm_at(4, duration=1.59), text=first, replace=True, **VLLM)
    assert [file.path for file in again.definition.raw_files] == ["raw/c16.json", "raw/c4.json"]
    assert again.released == {"raw/c4.json"}


def test_a_name_that_another_raw_file_has_is_refused() -> None:
    first = imported(vllm_at(4), **VLLM).package.decode()
    other = ResultFile(name="C4.json", raw=vllm_at(16).raw)
    (problem,) = refusals(other, text=first, **VLLM)
    assert problem.path == "raw_files[0].path"


def test_everything_that_files_cannot_say_is_asked_for_at_once() -> None:
    problems = refusals(result("vllm-defaults"), result("guidellm"))
    assert [str(each).split(" can")[0] for each in problems] == [
        "tool_version: vllm-defaults.json",
        "gpus: vllm-defaults.json, guidellm.json",
        "seed: vllm-defaults.json",
        "revision: vllm-defaults.json, guidellm.json",
    ]
    assert all("add --" in each.rule for each in problems)


def test_figures_of_another_number_of_gpus_are_refused() -> None:
    (problem,) = refusals(result("vllm-full"), **VLLM | {"gpus": 4})
    assert (problem.path, problem.rule) == (
        "gpus",
        "vllm-full.json was measured on 4, but hardware.gpus is 8",
    )


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("prompt_tokens: 64\n", "prompt_tokens: 70\n", "prompt_tokens"),
        ("output_tokens: 32\n", "output_tokens: 34\n", "output_tokens"),
    ],
)
def test_lengths_of_another_protocol_are_refused(before: str, after: str, field: str) -> None:
    problems = refusals(result("vllm-full"), text=package_text().replace(before, after), **VLLM)
    assert [each.path for each in problems] == [f"protocols.serving_curve.{field}"]


def test_a_run_that_was_not_streamed_is_no_point() -> None:
    zeros = {name: 0 for name in json.loads(result("vllm-full").raw) if "_ttft_" in name}
    (problem,) = refusals(vllm_at(4, **zeros), **VLLM)
    assert "ttft: was not measured" in problem.rule


def test_two_results_of_one_point_are_refused() -> None:
    other = ResultFile(name="other.json", raw=vllm_at(4, duration=1.6).raw)
    assert [each.path for each in refusals(vllm_at(4), other, **VLLM)] == ["concurrency"]


@pytest.mark.parametrize("name", ["../x.json", "a b.json", ".x.json", "x.txt", "x.json/y", ""])
def test_a_name_that_could_lead_elsewhere_is_refused(name: str) -> None:
    assert len(refusals(ResultFile(name=name, raw=result("vllm-full").raw), **VLLM)) == 1


def test_another_profile_is_refused_with_those_there_are() -> None:
    (problem,) = refusals(result("vllm-full"), profile="fast", **VLLM)
    assert problem.rule == "must be one of the profiles: interactive, batch"


def test_the_tool_s_own_remarks_arrive_under_the_name_of_the_file() -> None:
    remarks = imported(result("aiperf"), gpus=8, revision="abc").remarks
    assert any(each.startswith("aiperf.json: the tool's tokenizer counted") for each in remarks)
    assert any("served revision abc, the definition's is a7a2" in each for each in remarks)


def test_a_file_of_lines_becomes_several_points_of_one_raw_file() -> None:
    lines = b"\n".join(vllm_at(level).raw for level in (4, 16))
    found = imported(ResultFile(name="runs.jsonl", raw=lines), **VLLM)
    assert len(found.definition.raw_files) == 1
    assert {point.raw for point in found.definition.measured_points} >= {found.files[0].sha256}


LAYOUTS = {
    "windows": lambda text: text.replace("\n", "\r\n"),
    "comments": lambda text: text.replace(
        "\nother_points:", "# below the curve\n\nother_points:"
    ).replace(
        "  - profile: interactive\n    concurrency: 8",
        "  # eight\n  - profile: interactive\n    concurrency: 8",
    ),
    "empty list": lambda text: text.replace(
        "\nother_points:", "\nraw_files: []  # none\n\nother_points:"
    ),
}


@pytest.mark.parametrize("layout", ["windows", "comments", "empty list"])
def test_other_layouts_keep_every_line_that_is_not_of_an_entry(layout: str) -> None:
    text = LAYOUTS[layout](package_text())
    found = imported(vllm_at(4), vllm_at(128), text=text, **VLLM).package.decode()
    kept = [line for line in text.split("\n") if "raw_files: []" not in line]
    kept = [line for line in kept if line.strip() != "characterised: false"]
    left = iter(found.split("\n"))
    assert all(line in left for line in kept)


def test_a_list_in_brackets_is_refused() -> None:
    text = package_text()
    start, end = text.index("serving_curve:\n  - "), text.index("\nother_points:")
    point = "{profile: interactive, concurrency: 128, characterised: false}"
    text = f"{text[:start]}serving_curve: [{point}]\n{text[end:]}"
    (problem,) = refusals(vllm_at(4), text=text, **VLLM)
    assert problem.path == "package.yaml"


def test_a_statement_that_a_file_contradicts_is_refused_under_its_name() -> None:
    (problem,) = refusals(result("guidellm"), gpus=8, revision="abc", seed="8")
    assert problem.path == "guidellm.json"
    assert "the file says 7, but 8 was stated" in problem.rule
