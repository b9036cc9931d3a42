"""The JSON Schemas of docs/ are those of the code, and real receipts follow them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from catalog.definition.loading import load_definition
from catalog.models import PackageVersion
from config.schemas import FOLDER, SCHEMAS, documents
from entitlements.models import BuyerReceipt, Purchase
from licensing.models import LicenceSignature
from tests.shop import SAMPLE


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_in_docs_is_current(name: str) -> None:
    texts = {path.name: text for path, text in documents()}
    assert (FOLDER / name).read_text() == texts[name], "run `manage.py schemas`"


def test_docs_hold_no_schema_that_the_code_does_not_know() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_is_one_and_names_its_version(name: str) -> None:
    schema = _schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith("/v1")
    assert name.endswith("-v1.json")


def test_the_sample_follows_the_schema_of_definitions() -> None:
    _validator("package-definition-v1.json").validate(load_definition(SAMPLE).as_data())


def test_a_signed_benchmark_receipt_follows_its_schema(published: PackageVersion) -> None:
    statement = _statement(published)
    schema = _schema("benchmark-receipt-v1.json")
    assert statement["predicateType"] == schema["$id"]
    Draft202012Validator(schema).validate(statement["predicate"])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("definition", "serving_curve", 0, "per_gpu"), "11.13"),
        (("definition", "serving_curve", 0, "per_gpu"), 0),
        (("definition", "withheld"), {"runtime_build_record": "x", "serve_command": "y"}),
        (("commitments", "serve_command", "digest"), "abc"),
        (("checks", 0, "outcome"), "fine"),
        (("kit", "size"), 1.5),
    ],
)
def test_the_schema_refuses_what_no_receipt_says(
    published: PackageVersion, path: tuple[str | int, ...], value: object
) -> None:
    predicate = copy.deepcopy(_statement(published)["predicate"])
    place: Any = predicate
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert not _validator("benchmark-receipt-v1.json").is_valid(predicate)


def _schema(name: str) -> dict[str, Any]:
    return dict(json.loads((FOLDER / name).read_text()))


def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(_schema(name))


def _statement(version: PackageVersion) -> dict[str, Any]:
    assert version.benchmark_receipt is not None
    return dict(json.loads(version.benchmark_receipt.payload))


def test_a_licence_receipt_follows_its_schema(signature: LicenceSignature) -> None:
    statement = json.loads(signature.countersigned.receipt.payload)
    schema = _schema("licence-receipt-v1.json")
    assert statement["predicateType"] == schema["$id"]
    Draft202012Validator(schema).validate(statement["predicate"])
    statement["predicate"]["affirmations"].pop()
    assert not _validator("licence-receipt-v1.json").is_valid(statement["predicate"])


def test_a_buyer_receipt_follows_its_schema(bought: Purchase) -> None:
    statement = json.loads(BuyerReceipt.objects.get().receipt.payload)
    schema = _schema("buyer-receipt-v1.json")
    assert statement["predicateType"] == schema["$id"]
    Draft202012Validator(schema).validate(statement["predicate"])
    statement["predicate"]["revealed"]["serve_command"]["salt"] = "short"
    assert not _validator("buyer-receipt-v1.json").is_valid(statement["predicate"])
