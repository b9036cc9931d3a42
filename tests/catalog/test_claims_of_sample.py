"""The claim checks find in the reference package what a careful reader finds by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from catalog.claims import findings_of
from catalog.definition.loading import definition_from, load_definition
from catalog.models import PackageVersion
from catalog.publishing import publish_version
from catalog.statements import sealed_findings
from receipts.claims.checking import ClaimsRefused
from receipts.claims.figures import Finding
from tests.catalog.reading import shown
from tests.shop import SAMPLE

CHUNKS = {0: "3.2", 1: "3.3", 2: "3.7"}


@pytest.fixture(scope="module")
def findings() -> tuple[Finding, ...]:
    return findings_of(load_definition(SAMPLE))


def _of(findings: tuple[Finding, ...], identity: str) -> dict[str, Finding]:
    return {each.path: each for each in findings if each.identity == identity}


def test_per_gpu_times_gpus_holds_at_every_point(findings: tuple[Finding, ...]) -> None:
    found = _of(findings, "per-gpu")
    assert len(found) == 4
    assert {each.outcome for each in found.values()} == {"holds"}


def test_the_request_rate_is_the_throughput_over_the_length(findings: tuple[Finding, ...]) -> None:
    ((path, found),) = _of(findings, "request-rate").items()
    assert (path, found.outcome) == ("serving_curve[2].request_rate", "holds")


def test_the_reversal_under_load_is_computed_again(findings: tuple[Finding, ...]) -> None:
    found = _of(findings, "advantage")
    assert [each.outcome for each in found.values()] == ["unchecked", "unchecked", "holds"]
    last = found["comparisons[0].advantages[2].percent"]
    assert last.text == "272.77 against 301.28 is -9.46 %."


@pytest.mark.parametrize(("index", "tokens"), CHUNKS.items())
def test_tpot_far_above_end_to_end_is_a_remark_about_chunks(
    findings: tuple[Finding, ...], index: int, tokens: str
) -> None:
    found = _of(findings, "end-to-end")[f"serving_curve[{index}].tpot"]
    assert found.outcome == "remark"
    assert f"about {tokens} tokens" in found.text


def test_at_concurrency_one_it_says_both_sums(findings: tuple[Finding, ...]) -> None:
    text = _of(findings, "end-to-end")["serving_curve[0].tpot"].text
    assert "are 59.9 s, but end to end 22.6 s is published" in text


def test_the_receipt_carries_what_was_found(
    published: PackageVersion, findings: tuple[Finding, ...]
) -> None:
    assert published.benchmark_receipt is not None
    assert sealed_findings(published.benchmark_receipt) == findings


def test_the_remarks_stand_on_page_and_receipt_and_in_the_card(published: PackageVersion) -> None:
    receipt = published.benchmark_receipt
    assert receipt is not None
    client = Client()
    card = client.get("/packages/kimi-k3-8xb300/card.json").json()
    remarks = [r for figure in card["figures"] for r in figure["remarks"]]
    assert len(remarks) == 3
    for path in ("/packages/kimi-k3-8xb300/", f"/receipts/{receipt.payload_sha256}/"):
        text = shown(client.get(path))
        assert [remark for remark in remarks if remark not in text] == []


def test_a_broken_identity_is_refused_with_the_way_out(package_folder: Path, keys: None) -> None:
    _replace(package_folder, "aggregate: 229.93", "aggregate: 239.93")
    with pytest.raises(ClaimsRefused) as refused:
        publish_version(folder=package_folder)
    assert not PackageVersion.objects.exists()
    (problem,) = refused.value.problems
    assert problem.startswith("serving_curve[1].aggregate: 239.93 in all is not 8 x 28.74 per GPU")
    assert "accepted_findings" in problem


def test_a_written_reason_lets_it_pass_and_is_signed(package_folder: Path, keys: None) -> None:
    _replace(package_folder, "aggregate: 229.93", "aggregate: 239.93")
    _append_reason(package_folder, path="serving_curve[1].aggregate")
    version, _ = publish_version(folder=package_folder)
    assert version.benchmark_receipt is not None
    (accepted,) = [
        each for each in sealed_findings(version.benchmark_receipt) if each.outcome == "accepted"
    ]
    assert accepted.reason == "One GPU was counted twice by the tool."
    text = shown(Client().get("/packages/kimi-k3-8xb300/"))
    assert "Breaks an identity, published with a reason." in text
    assert "One GPU was counted twice by the tool." in text


def test_a_reason_without_a_use_is_refused() -> None:
    data = load_definition(SAMPLE).as_data()
    reason = {"identity": "per-gpu", "path": "serving_curve[0].aggregate", "reason": "None."}
    with pytest.raises(ClaimsRefused, match="remove this reason"):
        findings_of(definition_from(data | {"accepted_findings": [reason]}))


def test_a_percentile_beyond_the_sample_is_marked_everywhere(
    package_folder: Path, keys: None
) -> None:
    _replace(package_folder, "p50: 5707.65}", "p50: 5707.65, p99: 6001.25}")
    version, _ = publish_version(folder=package_folder)
    assert version.benchmark_receipt is not None
    support = _of(sealed_findings(version.benchmark_receipt), "support")
    assert "rests on 4" in support["serving_curve[0].ttft.p99"].text
    client = Client()
    figures = client.get("/packages/kimi-k3-8xb300/card.json").json()["figures"]
    assert [each["label"] for each in figures if not each["supported"]] == ["TTFT p99"]
    for path in (
        "/packages/kimi-k3-8xb300/",
        f"/receipts/{version.benchmark_receipt.payload_sha256}/",
    ):
        assert "6,001.25 ms not supported by the sample" in shown(client.get(path))


def _replace(folder: Path, old: str, new: str) -> None:
    source = folder / "package.yaml"
    text = source.read_text()
    assert text.count(old) == 1
    source.write_text(text.replace(old, new))


def _append_reason(folder: Path, *, path: str) -> None:
    with (folder / "package.yaml").open("a") as file:
        file.write(
            "\naccepted_findings:\n"
            f"  - {{identity: per-gpu, path: '{path}', "
            "reason: One GPU was counted twice by the tool.}\n"
        )
