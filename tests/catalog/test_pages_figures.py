"""Every published figure reaches the signed receipt and the package page unchanged."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from touchstone.envelope import verify_envelope
from touchstone.keys import parse_keys

from catalog.models import PackageVersion
from tests.catalog.reading import shown

PACKAGE = "/packages/kimi-k3-8xb300/"

# Where a figure stands in the definition, its value as published, and how the page words it.
FIGURES: list[tuple[str, object, str]] = [
    ("slug", "kimi-k3-8xb300", "kimi-k3-8xb300-1.0.0.tar.gz"),
    ("title", "Kimi K3 on vLLM, 8x B300", "Kimi K3 on vLLM, 8x B300"),
    ("price.one_time", "2300.00", "$2,300 once"),
    ("price.maintenance_per_month", "200.00", "$200 a month for maintenance"),
    ("kit.published_size", "2.5 MB", "for the kit as it was sold: 2.5 MB"),
    ("released", "2026-07-30", "released 2026-07-30"),
    ("model.name", "Kimi K3", "Kimi K3: "),
    ("model.upstream_licence", "Kimi K3 License", "Kimi K3 License: "),
    ("model.parameters_total", "2.8e12", "2,800,000,000,000 parameters"),
    ("model.parameters_active", "104e9", "104,000,000,000 active (about, per token)"),
    ("model.layers", "92", "92 mixture-of-experts layers"),
    ("model.context_limit", "1000000", "context limit 1,000,000 tokens"),
    ("weights.total", "about 1.56 TB", "about 1.56 TB in 96 shards"),
    ("weights.shards", "96", "in 96 shards, quantised: no"),
    ("weights.quantised", False, "quantised: no"),
    ("weights.weight_bytes_in_kit", "0", "weight bytes in the kit: 0"),
    ("hardware.node", "8x B300", "8x B300: 8 GPUs of 288 GB, 2,304 GB in all"),
    ("hardware.gpus", "8", "8 GPUs of"),
    ("hardware.memory_per_gpu_gb", "288", "of 288 GB"),
    ("hardware.memory_total_gb", "2304", "2,304 GB in all"),
    ("engine.name", "vLLM", "vLLM. On 2026-07-29 no released build"),
    ("profiles.0.name", "interactive", "Profile interactive"),
    ("profiles.1.name", "batch", "Profile batch"),
    ("protocols.validation.prompt_tokens", "33000-36000", "33000-36000 prompt tokens"),
    ("protocols.validation.output_tokens", "2048", "2,048 output tokens, 1 warm-up"),
    ("protocols.validation.warmup_requests", "1", "1 warm-up and 16 measured"),
    ("protocols.validation.measured_requests", "16", "16 measured requests"),
    ("protocols.headline.date", "2026-07-30", "30 July 2026: interactive and batch"),
    ("protocols.headline.requests_per_arm", "8", "of 8 requests completed in each arm"),
    ("protocols.headline.completed_per_arm", "8", "8 of 8 requests completed"),
    ("protocols.headline.concurrency", "1", "1 at a time"),
    ("protocols.headline.prompt_tokens_target", "1024", "1,024 prompt tokens aimed at"),
    ("protocols.headline.output_tokens", "1024", "1,024 output tokens"),
    ("protocols.headline.temperature", "0", "temperature 0"),
    ("protocols.headline.streaming", True, "streaming yes, seed fixed, run to"),
    ("protocols.headline.seed", "fixed", "seed fixed, run to the requested length"),
    ("protocols.headline.run_to_requested_output_length", True, "requested length yes"),
    ("protocols.serving_curve.prompt_tokens", "32768", "32,768 prompt tokens"),
    ("protocols.serving_curve.output_tokens", "2048", "2,048 output tokens, temperature 0"),
    ("protocols.serving_curve.temperature", "0", "temperature 0"),
    ("protocols.serving_curve.streaming", True, "streaming yes, seed fixed, 1 warm-up"),
    ("protocols.serving_curve.seed", "fixed", "seed fixed, 1 warm-up"),
    ("protocols.serving_curve.warmup_requests_per_point", "1", "1 warm-up request before each"),
    ("serving_curve.0.concurrency", "1", "interactive 1 11.13"),
    ("serving_curve.0.requests", "4", "4 of 4"),
    ("serving_curve.0.completed", "4", "4 of 4"),
    ("serving_curve.0.per_gpu", "11.13", "interactive 1 11.13 89.04 4 of 4"),
    ("serving_curve.0.aggregate", "89.04", "11.13 89.04 4 of 4"),
    ("serving_curve.0.ttft.p50", "5707.65", "interactive 1 p50 5,707.65 ms"),
    ("serving_curve.0.tpot.p50", "26.46", "5,707.65 ms p50 26.46 ms"),
    ("serving_curve.0.e2el.p50", "22629.34", "26.46 ms 1 p50 22,629.34 ms"),
    ("serving_curve.1.concurrency", "8", "interactive 8 28.74"),
    ("serving_curve.1.requests", "16", "16 of 16"),
    ("serving_curve.1.completed", "16", "16 of 16"),
    ("serving_curve.1.per_gpu", "28.74", "interactive 8 28.74 229.93 16 of 16"),
    ("serving_curve.1.aggregate", "229.93", "28.74 229.93 16 of 16"),
    ("serving_curve.1.ttft.p50", "6900.96", "interactive 8 p50 6,900.96 ms"),
    ("serving_curve.1.tpot.p50", "99.59", "6,900.96 ms p50 99.59 ms"),
    ("serving_curve.1.e2el.p50", "69479.02", "99.59 ms 2 p50 69,479.02 ms"),
    ("serving_curve.2.concurrency", "32", "interactive 32 34.10"),
    ("serving_curve.2.requests", "64", "64 of 64"),
    ("serving_curve.2.completed", "64", "64 of 64"),
    ("serving_curve.2.per_gpu", "34.10", "interactive 32 34.10 272.77 64 of 64"),
    ("serving_curve.2.aggregate", "272.77", "34.10 272.77 64 of 64"),
    ("serving_curve.2.ttft.p50", "114549.13", "interactive 32 p50 114,549.13 ms"),
    ("serving_curve.2.tpot.p50", "175.66", "114,549.13 ms p50 175.66 ms"),
    ("serving_curve.2.e2el.p50", "212831.87", "175.66 ms 3 p50 212,831.87 ms 0.133"),
    ("serving_curve.2.request_rate", "0.133", "212,831.87 ms 0.133"),
    ("serving_curve.3.concurrency", "128", "interactive 128 not characterised"),
    ("serving_curve.3.characterised", False, "128 not characterised"),
    ("other_points.0.profile", "batch", "batch 32 37.66"),
    ("other_points.0.concurrency", "32", "batch 32 37.66"),
    ("other_points.0.per_gpu", "37.66", "batch 32 37.66 301.28"),
    ("other_points.0.aggregate", "301.28", "37.66 301.28 not published"),
    ("other_points.0.ttft.p50", "7.4", "batch 32 p50 7.4 s"),
    ("comparisons.0.advantages.0.percent", "83.07", "1 +83.07 % 4 interactive"),
    ("comparisons.0.advantages.1.percent", "20.25", "8 +20.25 % 5 interactive"),
    ("comparisons.0.advantages.2.percent", "-9.46", "32 \N{MINUS SIGN}9.46 % batch"),
]
# Said in words: the definition's text holds the part, and the page shows it.
WORDS = [
    ("not_measured.0.note", "agreed on 78.12 percent of top-1 tokens"),
    ("not_measured.0.note", "parity is by construction, since no weight byte changes"),
    ("not_measured.0.note", "cannot tell a server from itself and certifies nothing"),
    ("not_measured.1.note", "every figure is text only"),
    ("not_measured.2.subject", "refusal, toxicity and jailbreak behaviour"),
    ("not_measured.3.subject", "anything near the 1 million token context"),
    ("not_measured.4.subject", "concurrency 128 on this version"),
    ("not_measured.5.subject", "peak VRAM"),
    ("limits.0", "eight requests in a single stream support a median, not a tail"),
    ("limits.0", "p95 and p99 lie between the two slowest"),
    ("limits.1", "every figure is scoped to text generation on one 8x B300 node"),
    ("protocols.validation.prompt_note", "repo-scale coding prompts, as the server reported them"),
    ("protocols.headline.same", "eight cards, vLLM installation and measurement window"),
    ("protocols.headline.one_variable", "the selected operating profile"),
]


def signed_definition(client: Client) -> Any:
    """The definition out of the verified payload, its numbers by their decimal digits."""
    keys = parse_keys(client.get("/.well-known/touchstone/keys.json").content)
    receipt = client.get(f"{PACKAGE}1.0.0/receipt.json").content
    payload = verify_envelope(receipt, keys).payload
    return json.loads(payload, parse_float=Decimal, parse_int=Decimal)["predicate"]["definition"]


def at(data: Any, path: str) -> Any:
    for step in path.split("."):
        data = data[int(step)] if isinstance(data, list) else data[step]
    return data


def is_published(found: object, value: object) -> bool:
    if isinstance(found, Decimal):
        return found == Decimal(str(value))
    return found == value and type(found) is type(value)


def test_the_verified_payload_holds_every_figure(published: PackageVersion, client: Client) -> None:
    definition = signed_definition(client)
    wrong = [
        (path, at(definition, path))
        for path, value, _ in FIGURES
        if not is_published(at(definition, path), value)
    ]
    assert wrong == []
    assert [path for path, part in WORDS if part not in at(definition, path)] == []


@pytest.mark.parametrize("page", [PACKAGE, f"{PACKAGE}1.0.0/"])
def test_the_page_shows_every_figure(published: PackageVersion, client: Client, page: str) -> None:
    text = shown(client.get(page))
    assert [wording for _, _, wording in FIGURES if wording not in text] == []
    assert [part for _, part in WORDS if part not in text] == []


def test_the_receipt_page_shows_every_measurement(
    published: PackageVersion, client: Client
) -> None:
    assert published.benchmark_receipt is not None
    page = client.get(f"/receipts/{published.benchmark_receipt.payload_sha256}/")
    rooms = ("serving_curve", "other_points", "comparisons", "protocols")
    wordings = [wording for path, _, wording in FIGURES if path.startswith(rooms)]
    assert len(wordings) > 50
    assert [wording for wording in wordings if wording not in shown(page)] == []


def test_the_card_holds_every_measured_point_of_the_curve(
    published: PackageVersion, client: Client
) -> None:
    card = json.loads(client.get(f"{PACKAGE}card.json").content, parse_float=Decimal)
    found = {(f["point"], f["label"], str(f["value"]), f["unit"]) for f in card["figures"]}
    rate = "output tokens per second"
    for concurrency, per_gpu, aggregate, ttft, tpot, e2el in [
        ("1", "11.13", "89.04", "5707.65", "26.46", "22629.34"),
        ("8", "28.74", "229.93", "6900.96", "99.59", "69479.02"),
        ("32", "34.1", "272.77", "114549.13", "175.66", "212831.87"),
    ]:
        where = f"interactive, concurrency {concurrency}"
        assert {
            (where, "Per GPU", per_gpu, rate),
            (where, "Aggregate", aggregate, rate),
            (where, "TTFT p50", ttft, "ms"),
            (where, "TPOT p50", tpot, "ms"),
            (where, "E2EL p50", e2el, "ms"),
        } <= found


@pytest.mark.parametrize(
    "key",
    ["revision", "shards", "weight checksum", "build record", "serve command", "deploy files"],
)
def test_whatever_stands_in_for_something_says_so_wherever_it_shows(
    published: PackageVersion, client: Client, key: str
) -> None:
    card = client.get(f"{PACKAGE}card.json").json()
    (wording, *_) = [each for each in card["stand_ins"] if key in each]
    assert wording.startswith("Stand-in: ")
    assert published.benchmark_receipt is not None
    for place in (PACKAGE, f"/receipts/{published.benchmark_receipt.payload_sha256}/"):
        assert wording in shown(client.get(place))
