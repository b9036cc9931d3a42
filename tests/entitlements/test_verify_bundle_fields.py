"""`touchstone verify --bundle` compares each field that two documents of a bundle share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from touchstone.envelope import parse_envelope
from touchstone.statement import PURPOSES, parse_statement
from touchstone.verifying_bundle import verify_bundle

from entitlements.completion import complete_purchase
from entitlements.entering import BANK
from entitlements.evidence.bundling import build_bundle
from entitlements.models import Purchase
from licensing.terms_text import AFFIRMATIONS
from receipts.keys import keys_document
from receipts.models import Receipt
from receipts.signing import sign_receipt
from tests.entitlements.bundles import Files, edit, repack
from tests.shop import payment_for

V = "versions/1.0.0"
BUYER, BENCHMARK, LICENCE = f"{V}/buyer-receipt", f"{V}/benchmark-receipt", "licence-receipt"
OTHER = "0" * 64


@pytest.fixture
def bundle(evidence: Purchase, tmp_path: Path) -> Path:
    """The bundle as an owner downloads it."""
    path = tmp_path / "evidence.tar.gz"
    path.write_bytes(build_bundle(evidence))
    return path


def failed(bundle: Path, change: Callable[[Files], object]) -> dict[str, str]:
    """What does not hold after a change, and why."""
    changed = repack(bundle.with_name("changed"), bundle.read_bytes(), change)
    report = verify_bundle(bundle=changed, keys=keys_document())
    return {each.name: each.detail for each in report.failures}


def set_at(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Set what lies at a path with dots."""

    def apply(document: dict[str, Any]) -> None:
        *above, last = path.split(".")
        for name in above:
            document = document[name]
        document[last] = value

    return apply


def signed_anew(name: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Files], None]:
    """Let the store itself sign another predicate, as whoever holds its key could."""

    def apply(files: Files) -> None:
        statement = parse_statement(parse_envelope(files[f"{name}.json"]).payload)
        predicate = json.loads(json.dumps(statement.predicate))
        change(predicate)
        made = sign_receipt(
            kind=Receipt.Kind(PURPOSES[statement.predicate_type]),
            subjects=list(statement.subjects),
            predicate_type=statement.predicate_type,
            predicate=predicate,
        )
        envelope = bytes(made.envelope)
        parts = parse_envelope(envelope)
        files[f"{name}.json"] = envelope
        files[f"{name}.payload"], files[f"{name}.sig"] = parts.payload, parts.signature

    return apply


PLAIN = """id terms_sha256 entity_id entity_legal_name entity_registration_number entity_country
    entity_address entity_tax_number signer_name signer_title account_email authority_text
    authority_affirmed consent_text consent_given position previous_digest terms_body signed_at"""
COLUMNS = [
    *PLAIN.split(),
    *(f"{key}_{what}" for key in AFFIRMATIONS for what in ("text", "affirmed")),
]


def test_each_column_of_the_record_is_compared_with_its_receipt(bundle: Path) -> None:
    named = {}
    for column in COLUMNS:
        said = failed(bundle, edit("signature.json", set_at(column, False)))
        named[column] = said["signature record"].partition(": ")[0]
    assert named == {column: column for column in COLUMNS}


# What a receipt says, the check that sees it, and what that check names.
SAID = [
    (BUYER, "purchase", "1.0.0 buyer receipt", "purchase: "),
    (BUYER, "package.version", "1.0.0 buyer receipt", "version: "),
    (BUYER, "entity.id", "1.0.0 licence", "entity: "),
    (BUYER, "entity.legal_name", "1.0.0 licence", "its name: "),
    (BUYER, "signature.id", "1.0.0 licence", "signature: "),
    (BUYER, "signature.sha256", "1.0.0 licence", "its digest: "),
    (BUYER, "terms.sha256", "1.0.0 licence", "terms: "),
    (BUYER, "terms.family", "1.0.0 licence", "their family: "),
    (BUYER, "terms.version", "1.0.0 licence", "their version: "),
    (BUYER, "package.slug", "1.0.0 licence", "package: "),
    (BUYER, "benchmark_receipt.sha256", "1.0.0 buyer benchmark receipt", "it names "),
    (BUYER, "revealed", "1.0.0 revealed", "predicate: "),
    (BENCHMARK, "definition.slug", "1.0.0 licence", "the definition's package: "),
    (BENCHMARK, "definition.version", "1.0.0 licence", "its version: "),
    (LICENCE, "terms.sha256", "terms", "its field terms: "),
    (LICENCE, "chain.digest", "signature digest", "record and receipt: "),
    (LICENCE, "affirmations", "affirmations", "predicate.affirmations: "),
    (LICENCE, "signature", "payments", "signature: "),
    (LICENCE, "entity.id", "payments", "entity: "),
    (LICENCE, "package", "payments", "package: "),
]


@pytest.mark.parametrize(("receipt", "field", "check", "names"), SAID)
def test_each_field_of_a_receipt_is_compared(
    bundle: Path, receipt: str, field: str, check: str, names: str
) -> None:
    assert failed(bundle, signed_anew(receipt, set_at(field, OTHER)))[check].startswith(names)


def test_three_affirmations_are_not_four(bundle: Path) -> None:
    said = failed(bundle, signed_anew(LICENCE, lambda said: said["affirmations"].pop()))
    assert "a list of four" in said["affirmations"]


def test_the_text_is_the_subject_of_its_receipt(bundle: Path) -> None:
    said = failed(bundle, lambda files: files.update({"terms.md": b"# Free\n"}))
    assert said["terms"].startswith("the text's digest and the receipt's subject: ")


@pytest.mark.parametrize(
    ("field", "value", "names"),
    [
        ("id", "other", "purchase: "),
        ("signature", "other", "signature: "),
        ("entity", "other", "entity: "),
        ("package", "other", "package: "),
        ("price_minor", 1, "price: "),
        ("maintenance_minor", 1, "price: "),
        ("maintenance_minor", None, "price: "),
        ("currency", "SEK", "currency: "),
        ("paid_by", "other", "price: "),
        ("paid_by", None, "price: "),
    ],
)
def test_each_field_of_the_purchase_is_compared(
    bundle: Path, field: str, value: object, names: str
) -> None:
    said = failed(bundle, edit("payments.json", set_at(f"purchase.{field}", value)))
    assert said["payments"].startswith(names)


@pytest.mark.parametrize("change", [{"kind": "refund"}, {"id": "other"}, {"currency": "SEK"}])
def test_what_paid_is_one_charge(bundle: Path, change: dict[str, str]) -> None:
    said = failed(bundle, edit("payments.json", lambda d: d["payments"][0].update(change)))
    assert "payments" in said


def test_a_payment_that_is_there_twice_does_not_count(bundle: Path) -> None:
    twice = edit("payments.json", lambda d: d["payments"].append(d["payments"][0]))
    assert failed(bundle, twice)["payments"].startswith("price: ")


@pytest.mark.parametrize("part", ["tax_minor", "months"])
def test_a_year_by_transfer_with_tax_is_the_price_and_no_other(
    pending: Purchase, tmp_path: Path, part: str
) -> None:
    asked = pending.price_minor + 12 * pending.maintenance_minor
    paid = payment_for(pending, provider=BANK, amount_minor=asked + 500, tax_minor=500)
    complete_purchase(purchase=pending, payment=paid)
    path = tmp_path / "evidence.tar.gz"
    path.write_bytes(build_bundle(Purchase.objects.get()))
    assert failed(path, dict) == {}
    for other in ({part: 1}, {part: None}):
        lie = edit("payments.json", lambda d: d["payments"][0].update(other))  # noqa: B023 -- it is called in this turn
        assert failed(path, lie)["payments"].startswith("price: ")
