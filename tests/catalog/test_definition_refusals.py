"""A wrong definition is refused with the field's path and the rule."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from catalog.definition import DefinitionError, Problem, definition_from, load_definition

SAMPLE = Path(__file__).parents[2] / "packages" / "kimi-k3-8xb300"
DATA = load_definition(SAMPLE).as_data()
GONE = object()


def problems_after(path: tuple[str | int, ...], value: object) -> list[Problem]:
    data: Any = deepcopy(DATA)
    target = data
    for step in path[:-1]:
        target = target[step]
    if value is GONE:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    with pytest.raises(DefinitionError) as refused:
        definition_from(data)
    return refused.value.problems


WRONG: list[tuple[tuple[str | int, ...], object, str]] = [
    (("slug",), "Kimi_K3", "slug: must be lower-case letters"),
    (("version",), "1.0", "version: must be a SemVer version"),
    (("version",), 1.0, "version: should be a valid string"),
    (("title",), " padded", "title: must hold text without spaces around it"),
    (("title",), "two\nlines", "title: must be one line"),
    (("title",), GONE, "title: is missing"),
    (("colour",), "red", "colour: is not a field of the schema"),
    (("price", "currency"), "XYZ", "price.currency: should be 'USD', 'EUR' or 'GBP'"),
    (("price", "one_time"), 0, "price.one_time: must be greater than zero"),
    (("price", "one_time"), "2300.00", "price.one_time: should be an instance of Decimal"),
    (("price", "one_time"), True, "price.one_time: should be an instance of Decimal"),
    (("price", "one_time"), 9.999, "price.one_time: must have at most 2 decimals"),
    (("price", "one_time"), 1000000, "price.one_time: must be at most 999999.99"),
    (("released",), "2026-02-30", "released: day is out of range"),
    (("upstream", "revision"), "main", "upstream.revision: must be a commit of 40 lower-case hex"),
    (("upstream", "revision"), "v1.0", "upstream.revision: must be a commit of 40 lower-case hex"),
    (("upstream", "note"), None, "upstream.note: must say what stands in"),
    (("weights", "weight_bytes_in_kit"), 1, "weights.weight_bytes_in_kit: should be 0"),
    (("hardware", "memory_total_gb"), 2305, "hardware: memory_total_gb must be gpus times"),
    (("serving_curve", 2, "completed"), 65, "serving_curve[2].completed: must be at most requests"),
    (("serving_curve", 2, "failed"), 1, "serving_curve[2].failed: must be requests less completed"),
    (("serving_curve", 0, "profile"), "turbo", "serving_curve[0].profile: must be one of the"),
    (("serving_curve", 1, "concurrency"), 1, "serving_curve[1]: repeats the profile and"),
    (("serving_curve", 0, "ttft", "unit"), "us", "serving_curve[0].ttft.unit: should be 'ms' or"),
    (("serving_curve", 0, "ttft", "p42"), 1.5, "serving_curve[0].ttft.p42: is not a field"),
    (("serving_curve", 0, "ttft", "p90"), 1.5, "serving_curve[0].ttft: p50 must be at most p90"),
    (("serving_curve", 0, "ttft"), {"unit": "ms"}, "serving_curve[0].ttft: must hold at least"),
    (("serving_curve", 1, "ttft", "unit"), "s", "serving_curve[1].ttft.unit: must be ms, as the"),
    (("serving_curve", 1, "raw"), "ab" * 32, "serving_curve[1].raw: must be the sha256 of one"),
    (("serving_curve", 1, "raw"), "AB" * 32, "serving_curve[1].raw: "),
    (("serving_curve", 1, "aggregate"), float("nan"), "serving_curve[1].aggregate: "),
    (("serving_curve", 1, "aggregate"), float("inf"), "serving_curve[1].aggregate: "),
    (("serving_curve", 3, "per_gpu"), 1.5, "serving_curve[3].per_gpu: is not a field"),
    (("other_points", 0, "profile"), "turbo", "other_points[0].profile: must be one of the"),
    (("comparisons", 0, "against"), "interactive", "comparisons[0].against: must be another"),
    (("protocols", "validation", "prompt_tokens"), "9-1", "protocols.validation.prompt_tokens: "),
    (("protocols", "headline", "completed_per_arm"), 9, "protocols.headline.completed_per_arm: "),
    (("protocols", "serving_curve", "streaming"), 1, "protocols.serving_curve.streaming: should"),
    (("withheld", "serve_command"), "../serve", "withheld.serve_command: must be a relative path"),
    (("stand_ins", 0, "wording"), "A real one.", "stand_ins[0].wording: must contain the words"),
    (("stand_ins",), [], "stand_ins: must have the key upstream-revision"),
    (("limits",), [], "limits: "),
]


@pytest.mark.parametrize(("path", "value", "expected"), WRONG)
def test_one_wrong_field_is_one_problem_at_its_path(
    path: tuple[str | int, ...], value: object, expected: str
) -> None:
    (problem,) = problems_after(path, value)
    assert str(problem).startswith(expected)


def test_every_problem_is_listed_on_its_own_line() -> None:
    data = {**deepcopy(DATA), "slug": "A", "tier": "free"}
    with pytest.raises(DefinitionError) as refused:
        definition_from(data)
    lines = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in lines] == ["slug", "tier"]


@pytest.mark.parametrize("data", [None, 3, "text", [], {}])
def test_something_that_is_no_definition_is_refused(data: object) -> None:
    with pytest.raises(DefinitionError):
        definition_from(data)
