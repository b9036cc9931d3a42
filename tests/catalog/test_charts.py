"""The serving curve as coordinates: nothing leaves the frame, and each mark says its figure."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.charts import HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, serving_curve
from catalog.definition.measurements import Latency, MeasuredPoint


def point(concurrency: int, aggregate: str, profile: str = "interactive") -> MeasuredPoint:
    latency = Latency(unit="ms", p50=Decimal(1))
    return MeasuredPoint(
        profile=profile,
        concurrency=concurrency,
        requests=1,
        completed=1,
        failed=0,
        per_gpu=Decimal(1),
        aggregate=Decimal(aggregate),
        ttft=latency,
        tpot=latency,
        e2el=latency,
    )


def curve(*points: MeasuredPoint) -> Curve:
    laid_out = serving_curve(points)
    assert laid_out is not None
    return laid_out


SAMPLE_CURVE = [point(1, "89.04"), point(8, "229.93"), point(32, "272.77")]


def test_nothing_measured_is_no_chart() -> None:
    assert serving_curve([]) is None


def test_marks_rise_with_their_figures_and_stand_evenly_by_powers_of_two() -> None:
    first, second, third = curve(*SAMPLE_CURVE).lines[0].marks
    assert first.y > second.y > third.y
    assert (first.x, third.x) == (LEFT, WIDTH - RIGHT)
    assert second.x - first.x == pytest.approx((third.x - first.x) * 3 / 5, abs=0.1)


def test_ticks_are_round_and_begin_at_zero() -> None:
    ticks = curve(*SAMPLE_CURVE).ticks
    assert [tick.label for tick in ticks] == ["0", "100", "200", "300"]
    assert ticks[-1].at == TOP


def test_a_mark_stands_where_its_figure_falls_between_the_ticks() -> None:
    laid_out = curve(*SAMPLE_CURVE)
    zero, highest = laid_out.ticks[0].at, laid_out.ticks[-1].at
    for mark in laid_out.lines[0].marks:
        assert mark.y == pytest.approx(zero - float(mark.value) / 300 * (zero - highest), abs=0.1)


def test_the_description_reads_every_figure_aloud() -> None:
    assert curve(*SAMPLE_CURVE).description == (
        "interactive, concurrency 1: 89.04 output tokens per second; "
        "interactive, concurrency 8: 229.93 output tokens per second; "
        "interactive, concurrency 32: 272.77 output tokens per second"
    )


def test_each_profile_has_a_line_of_its_own_in_the_order_of_concurrency() -> None:
    batch = point(32, "301.28", profile="batch")
    lines = curve(SAMPLE_CURVE[2], batch, *SAMPLE_CURVE[:2]).lines
    assert [(line.profile, line.number) for line in lines] == [("interactive", 0), ("batch", 1)]
    assert [mark.concurrency for mark in lines[0].marks] == [1, 8, 32]
    assert lines[1].marks[0].x == lines[0].marks[2].x
    assert lines[1].marks[0].y < lines[0].marks[2].y


@given(
    st.lists(
        st.tuples(st.integers(1, 10**6), st.decimals("0.01", "999999", places=2)),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_mark_and_no_tick_leaves_the_frame(rows: list[tuple[int, Decimal]]) -> None:
    laid_out = curve(*(point(concurrency, str(value)) for concurrency, value in rows))
    marks = [mark for line in laid_out.lines for mark in line.marks]
    assert len(marks) == len(rows)
    assert all(LEFT <= mark.x <= WIDTH - RIGHT for mark in marks)
    assert all(TOP <= mark.y <= HEIGHT for mark in marks)
    assert all(TOP <= tick.at <= laid_out.bottom for tick in laid_out.ticks)
    assert 2 <= len(laid_out.ticks) <= 6
