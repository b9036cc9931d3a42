"""JSON Schemas (2020-12) of what receipts say, generated from the models that write them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from touchstone.statement import BENCHMARK_RECEIPT, BUYER_RECEIPT, LICENCE_RECEIPT

from catalog.definition import Definition
from catalog.statements import BenchmarkPredicate
from entitlements.buyer_statements import BuyerPredicate
from licensing.countersigning import LicencePredicate

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: dict[str, tuple[type[BaseModel], str]] = {
    "package-definition-v1.json": (Definition, "https://touchstone.example/package-definition/v1"),
    "benchmark-receipt-v1.json": (BenchmarkPredicate, BENCHMARK_RECEIPT),
    "buyer-receipt-v1.json": (BuyerPredicate, BUYER_RECEIPT),
    "licence-receipt-v1.json": (LicencePredicate, LICENCE_RECEIPT),
}


def documents() -> Iterator[tuple[Path, str]]:
    """Each schema's place in docs/ and its text as the code has it now."""
    for name, (model, identifier) in SCHEMAS.items():
        _, schema = models_json_schema([(model, "serialization")])
        reference = {"$ref": f"#/$defs/{model.__name__}"}
        document = {"$schema": DIALECT, "$id": identifier, **reference, **schema}
        yield FOLDER / name, json.dumps(document, indent=2, ensure_ascii=False) + "\n"
