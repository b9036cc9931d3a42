"""Each identity holds for figures that fit, and breaks for those that do not."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.claims.checking import ClaimsRefused, check_claims, refuse_broken
from receipts.claims.figures import AdvantageFigure, Figures, Finding, PointFigures
from receipts.claims.intervals import Interval
from receipts.claims.support import NEEDED, is_supported
from receipts.claims.wording import close, number

D = Decimal
published = Interval.published


def latency(p50: str = "100", mean: str | None = None) -> dict[str, Interval]:
    found = {"p50": published(D(p50))}
    return found | ({"mean": published(D(mean))} if mean else {})


# 100 requests of 101 tokens at concurrency 10: TTFT 1 s, TPOT 10 ms, so each takes 2 s.
POINT = PointFigures(
    path="serving_curve[0]",
    profile="interactive",
    concurrency=10,
    per_gpu=published(D("63.13")),
    aggregate=published(D("505.0")),
    requests=100,
    completed=100,
    failed=0,
    output_length=Interval.exactly(101),
    request_rate=published(D("5.00")),
    duration=published(D("20.0")),
    output_tokens=10_100,
    latencies={
        "ttft": latency("1000", "1000"),
        "tpot": latency("10.0", "10.0"),
        "e2el": latency("2000", "2000"),
    },
)


def found(point: PointFigures, identity: str, **changed: object) -> list[Finding]:
    figures = Figures(gpus=8, points=(replace(point, **changed),), advantages=())  # type: ignore[arg-type]  # any field by its name
    return [f for f in check_claims(figures, reasons={}) if f.identity == identity]


def test_figures_that_fit_hold_everywhere() -> None:
    figures = Figures(gpus=8, points=(POINT,), advantages=())
    outcomes = {(f.identity, f.outcome) for f in check_claims(figures, reasons={})}
    names = {"per-gpu", "request-rate", "duration", "requests", "in-flight", "end-to-end"}
    assert outcomes == {(name, "holds") for name in names}


@pytest.mark.parametrize(
    ("identity", "changed", "outcome", "words"),
    [
        ("per-gpu", {"per_gpu": published(D("63.20"))}, "broken", "is not 8 x 63.20"),
        ("request-rate", {"request_rate": published(D("5.10"))}, "broken", "but 5.10 is"),
        ("duration", {"duration": published(D("21.0"))}, "broken", "are 481 a second, but"),
        ("requests", {"completed": 98, "failed": 2}, "remark", "2 failed"),
        ("requests", {"completed": 98, "failed": 1}, "broken", "98 of 100"),
        ("in-flight", {"concurrency": 9}, "broken", "10.0 requests at once, of 9"),
    ],
)
def test_figures_that_do_not_fit_are_named(
    identity: str, changed: dict[str, object], outcome: str, words: str
) -> None:
    (finding,) = found(POINT, identity, **changed)
    assert (finding.outcome, words in finding.text) == (outcome, True), finding.text


@pytest.mark.parametrize(
    ("tpot", "outcome"),
    [
        ("10.0", "holds"),
        ("11", "holds"),
        ("30.0", "remark"),
        ("200.0", "broken"),
        ("5.0", "broken"),
    ],
)
def test_a_median_tpot_may_be_a_gap_between_chunks_but_not_anything(
    tpot: str, outcome: str
) -> None:
    latencies = {"ttft": latency("1000"), "tpot": latency(tpot), "e2el": latency("2000")}
    (finding,) = found(POINT, "end-to-end", latencies=latencies)
    assert finding.outcome == outcome, finding.text
    assert ("about 3.0 tokens" in finding.text) == (outcome == "remark")


def test_end_to_end_below_the_first_token_is_broken() -> None:
    latencies = {"ttft": latency("2100"), "tpot": latency("10.0"), "e2el": latency("2000")}
    (finding,) = found(POINT, "end-to-end", latencies=latencies)
    assert (finding.outcome, finding.path) == ("broken", "serving_curve[0].e2el")


def test_a_median_alone_never_breaks_littles_law() -> None:
    latencies = {"e2el": latency("4000")}
    (finding,) = found(POINT, "in-flight", latencies=latencies)
    assert finding.outcome == "remark"


@pytest.mark.parametrize(
    ("percent", "outcome"), [("-9.46", "holds"), ("-9.48", "broken"), ("9.46", "broken")]
)
def test_a_difference_must_come_from_its_points(percent: str, outcome: str) -> None:
    ours = replace(POINT, aggregate=published(D("272.77")))
    theirs = replace(ours, profile="batch", aggregate=published(D("301.28")))
    advantage = AdvantageFigure(
        path="comparisons[0].advantages[0].percent",
        profile="interactive",
        against="batch",
        concurrency=10,
        percent=published(D(percent)),
    )
    figures = Figures(gpus=8, points=(ours, theirs), advantages=(advantage,))
    findings = check_claims(figures, reasons={})
    assert [f.outcome for f in findings if f.identity == "advantage"] == [outcome]


@pytest.mark.parametrize(("statistic", "needed"), [("p95", 20), ("p99", 100), ("p50", 2)])
def test_a_percentile_needs_its_requests(statistic: str, needed: int) -> None:
    assert NEEDED[statistic] == needed
    assert is_supported(statistic, completed=needed)
    assert not is_supported(statistic, completed=needed - 1)


def test_a_reason_lets_only_its_own_figure_pass() -> None:
    figures = Figures(gpus=9, points=(POINT,), advantages=())
    place = ("per-gpu", "serving_curve[0].aggregate")
    reasons = {place: "Nine were there."}
    refuse_broken(check_claims(figures, reasons=reasons), reasons=reasons)
    elsewhere = {("per-gpu", "serving_curve[1].aggregate"): "Nine were there."}
    with pytest.raises(ClaimsRefused) as refused:
        refuse_broken(check_claims(figures, reasons=elsewhere), reasons=elsewhere)
    assert len(refused.value.problems) == 2


@given(st.decimals("0.01", "99999", places=2), st.integers(1, 64), st.integers(0, 4))
def test_rounding_alone_never_breaks_an_identity(per_gpu: Decimal, gpus: int, places: int) -> None:
    one = Decimal(1).scaleb(-places)
    aggregate = (per_gpu * gpus).quantize(one)
    expected = published(per_gpu) * Interval.exactly(gpus)
    assert expected.overlaps(published(aggregate))


@pytest.mark.parametrize(
    ("figure", "written"), [("272.77", "272.77"), ("34.10", "34.10"), ("1536", "1,536"), ("5", "5")]
)
def test_published_figures_are_written_with_their_own_digits(figure: str, written: str) -> None:
    assert number(published(D(figure))) == written


@pytest.mark.parametrize(
    ("value", "written"), [("59.87", "59.9"), ("0.98412", "0.984"), ("0", "0"), ("2047", "2,047")]
)
def test_worked_out_values_have_three_digits(value: str, written: str) -> None:
    assert close(D(value)) == written
