"""What a benchmark receipt says: the public definition, the kit, and what is withheld, bound."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import TypeAdapter
from touchstone.statement import Subject, parse_statement

from catalog.definition import Definition
from catalog.definition.fields import Count, Line, Section, Sha256
from catalog.definition.package import PublicDefinition
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


class KitFile(Section):
    """The kit's file name and its size in bytes; its digest is the statement's first subject."""

    name: Line
    size: Count


class Commitment(Section):
    """What binds something withheld: the SHA-256 of a 32-byte salt followed by the content."""

    algorithm: Literal["sha256(salt || content)"] = "sha256(salt || content)"
    digest: Sha256


class ReceiptNamed(Section):
    """Another receipt, by the SHA-256 of its payload."""

    sha256: Sha256


class BenchmarkPredicate(Section):
    """What a benchmark receipt says: the public definition, what its figures were checked for,
    and commitments to what only a buyer sees. It names the receipt it replaces, if any."""

    replaces: ReceiptNamed | None = None
    definition: PublicDefinition
    kit: KitFile
    checks: tuple[Finding, ...]
    commitments: dict[str, Commitment]


def benchmark_predicate(
    *,
    definition: Definition,
    kit: BuiltKit,
    findings: Sequence[Finding],
    commitments: Mapping[str, str],
    replaces: str | None = None,
) -> dict[str, Any]:
    """The predicate of a benchmark receipt; `commitments` maps a name to its digest.

    `replaces` is the payload digest of the receipt whose key was revoked, if there is one.
    """
    public = {name: getattr(definition, name) for name in PublicDefinition.model_fields}
    predicate = BenchmarkPredicate(
        replaces=ReceiptNamed(sha256=replaces) if replaces else None,
        definition=PublicDefinition.model_construct(**public),
        kit=KitFile(name=kit.name, size=kit.size),
        checks=tuple(findings),
        commitments={name: Commitment(digest=commitments[name]) for name in sorted(commitments)},
    )
    return predicate.model_dump(mode="json", exclude_none=True)


def sealed_findings(receipt: Receipt) -> tuple[Finding, ...]:
    """What the claim checks had found when a benchmark receipt was signed."""
    return FINDINGS.validate_python(parse_statement(receipt.payload).predicate["checks"])
