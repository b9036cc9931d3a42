"""The sample package says what its seller published, digit for digit."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.definition import Definition, definition_from, load_definition
from catalog.definition.measurements import UncharacterisedPoint

SAMPLE = Path(__file__).parents[2] / "packages" / "kimi-k3-8xb300"


@pytest.fixture(scope="module")
def sample() -> Definition:
    return load_definition(SAMPLE)


CURVE = [
    (1, 4, "11.13", "89.04", "5707.65", "26.46", "22629.34", None),
    (8, 16, "28.74", "229.93", "6900.96", "99.59", "69479.02", None),
    (32, 64, "34.10", "272.77", "114549.13", "175.66", "212831.87", "0.133"),
]


@pytest.mark.parametrize(("index", "row"), list(enumerate(CURVE)))
def test_each_point_of_the_curve_has_the_published_digits(
    sample: Definition, index: int, row: tuple[object, ...]
) -> None:
    point = sample.measured_points[index]
    assert point.e2el is not None
    figures = (
        *(point.per_gpu, point.aggregate, point.ttft.p50, point.tpot.p50, point.e2el.p50),
        point.request_rate,
    )
    texts = tuple(figure if figure is None else str(figure) for figure in figures)
    assert (point.concurrency, point.requests, *texts) == row
    assert (point.profile, point.completed, point.failed) == ("interactive", point.requests, 0)


def test_concurrency_128_is_there_and_not_characterised(sample: Definition) -> None:
    last = sample.serving_curve[-1]
    assert isinstance(last, UncharacterisedPoint)
    assert (last.profile, last.concurrency) == ("interactive", 128)


def test_the_batch_point_keeps_its_seconds(sample: Definition) -> None:
    (point,) = sample.other_points
    assert (point.profile, point.concurrency) == ("batch", 32)
    assert (str(point.per_gpu), str(point.aggregate)) == ("37.66", "301.28")
    assert (str(point.ttft.p50), point.ttft.unit) == ("7.4", "s")


def test_the_advantage_turns_negative_at_concurrency_32(sample: Definition) -> None:
    rows = sample.comparisons[0].advantages
    assert [(row.concurrency, f"{row.percent:+}") for row in rows] == [
        (1, "+83.07"),
        (8, "+20.25"),
        (32, "-9.46"),
    ]


def test_the_price_is_exact_and_has_minor_units(sample: Definition) -> None:
    price = sample.price
    assert (str(price.one_time), str(price.maintenance_per_month)) == ("2300.00", "200.00")
    assert (price.currency, price.one_time_minor, price.maintenance_minor) == ("USD", 230000, 20000)


def test_the_model_and_the_node_are_as_published(sample: Definition) -> None:
    model, node = sample.model, sample.hardware
    assert (model.parameters_total, model.parameters_active) == (
        Decimal("2.8e12"),
        Decimal("104e9"),
    )
    assert (model.layers, model.context_limit) == (92, 1_000_000)
    assert (node.gpus, node.memory_per_gpu_gb, node.memory_total_gb) == (8, 288, 2304)
    assert (sample.weights.total, sample.weights.shards) == ("about 1.56 TB", 96)
    assert sample.kit.published_size == "2.5 MB"


def test_every_protocol_is_as_published(sample: Definition) -> None:
    first, headline = sample.protocols.validation, sample.protocols.headline
    curve = sample.protocols.serving_curve
    assert first is not None
    assert headline is not None
    assert (first.prompt_tokens, first.output_tokens) == ("33000-36000", 2048)
    assert (first.warmup_requests, first.measured_requests) == (1, 16)
    assert (headline.requests_per_arm, headline.completed_per_arm) == (8, 8)
    assert (headline.prompt_tokens_target, headline.output_tokens) == (1024, 1024)
    assert (curve.prompt_tokens, curve.output_tokens) == (32768, 2048)
    assert curve.warmup_requests_per_point == 1
    assert not headline.figures_public


def test_json_keeps_numbers_as_numbers_and_validates_to_the_same_definition(
    sample: Definition,
) -> None:
    text = json.dumps(sample.as_data(), allow_nan=False)
    again = definition_from(json.loads(text))
    assert again == sample
    assert [str(point.per_gpu) for point in again.measured_points] == ["11.13", "28.74", "34.10"]
    assert '"p50": 114549.13' in text
    assert '"parameters_total": 2800000000000,' in text


def test_whatever_nobody_published_says_stand_in(sample: Definition) -> None:
    assert sample.upstream.stand_in
    for key in ("upstream-revision", "shard-digests", "serve-command", "deploy-files"):
        wording = sample.stand_in(key)
        assert wording is not None
        assert wording.startswith("Stand-in: ")
