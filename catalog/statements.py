"""What a benchmark receipt says: the public definition, the kit, and what is withheld, bound."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from touchstone.statement import Subject, parse_statement

from catalog.definition import Definition
from catalog.kits import BuiltKit
from receipts.claims.figures import Finding
from receipts.models import Receipt

FINDINGS = TypeAdapter(tuple[Finding, ...])


def kit_subjects(*, name: str, kit: str, sums: str, weights: str) -> Sequence[Subject]:
    """The three things a receipt is about, the kit's tarball first (SHA-256, hex)."""
    return (
        Subject(name, kit),
        Subject("SHA256SUMS", sums),
        Subject("weights/SHA256SUMS", weights),
    )


def commitment(*, salt: bytes, content: bytes) -> str:
    """SHA-256 over salt and content: binds what is withheld without telling it."""
    return hashlib.sha256(salt + content).hexdigest()


def benchmark_predicate(
    *,
    definition: Definition,
    kit: BuiltKit,
    findings: Sequence[Finding],
    commitments: Mapping[str, str],
) -> dict[str, Any]:
    """The predicate of a benchmark receipt; `commitments` maps a name to its digest."""
    return {
        "definition": public_definition(definition),
        "kit": {"name": kit.name, "size": kit.size},
        "checks": [
            {name: value for name, value in asdict(finding).items() if value is not None}
            for finding in findings
        ],
        "commitments": {
            name: {"algorithm": "sha256(salt || content)", "digest": digest}
            for name, digest in sorted(commitments.items())
        },
    }


def sealed_findings(receipt: Receipt) -> tuple[Finding, ...]:
    """What the claim checks had found when a benchmark receipt was signed."""
    return FINDINGS.validate_python(parse_statement(receipt.payload).predicate["checks"])


def public_definition(definition: Definition) -> dict[str, Any]:
    """The definition as JSON, without the places of what is withheld."""
    data = definition.as_data()
    del data["withheld"]
    return data
