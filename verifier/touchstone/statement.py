"""In-toto Statements v1 (in-toto/attestation), narrowed to SHA-256 subjects and known fields."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from touchstone.errors import TouchstoneError
from touchstone.strictjson import StrictJsonError, load_object

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
BENCHMARK_RECEIPT = "https://touchstone.example/benchmark-receipt/v1"
BUYER_RECEIPT = "https://touchstone.example/buyer-receipt/v1"
LICENCE_RECEIPT = "https://touchstone.example/licence-receipt/v1"
# The purpose of the key that signs each kind.
PURPOSES = {BENCHMARK_RECEIPT: "benchmark", BUYER_RECEIPT: "buyer", LICENCE_RECEIPT: "licence"}
MAX_BYTES = 4 << 20

_FIELDS = {"_type", "subject", "predicateType", "predicate"}
_SHA256 = re.compile(r"[0-9a-f]{64}")


class StatementError(TouchstoneError):
    """The statement is malformed; the message names the field."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing the statement is about: its name, and the SHA-256 of its bytes in lower-case hex."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What a payload says, of which subjects."""

    subjects: tuple[Subject, ...]
    predicate_type: str
    predicate: dict[str, object]


def build_statement(
    *, subjects: Sequence[Subject], predicate_type: str, predicate: Mapping[str, object]
) -> bytes:
    """Write a statement's bytes. Raises StatementError for whatever `parse_statement` refuses."""
    document = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": s.name, "digest": {"sha256": s.sha256}} for s in subjects],
        "predicateType": predicate_type,
        "predicate": dict(predicate),
    }
    try:
        raw = json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise StatementError(f"predicate: cannot be written as JSON: {error}") from error
    parse_statement(raw)
    return raw


def parse_statement(raw: bytes) -> Statement:
    """Read a statement strictly: no unknown field, SHA-256 only. Raises StatementError."""
    try:
        document = load_object(raw, limit=MAX_BYTES)
    except StrictJsonError as error:
        raise StatementError(f"statement: {error}") from error
    if document.keys() != _FIELDS:
        odd = ", ".join(sorted(document.keys() ^ _FIELDS))
        raise StatementError(f"statement: missing or unknown fields: {odd}")
    if document["_type"] != STATEMENT_TYPE:
        raise StatementError(f"_type: must be {STATEMENT_TYPE}")
    predicate_type, predicate = document["predicateType"], document["predicate"]
    if not isinstance(predicate_type, str) or not predicate_type:
        raise StatementError("predicateType: must be a URI")
    if not isinstance(predicate, dict):
        raise StatementError("predicate: must be an object")
    return Statement(
        subjects=_parse_subjects(document["subject"]),
        predicate_type=predicate_type,
        predicate=predicate,
    )


def _parse_subjects(entries: object) -> tuple[Subject, ...]:
    if not isinstance(entries, list) or not entries:
        raise StatementError("subject: must be a list of at least one")
    subjects = tuple(_parse_subject(entry, f"subject[{at}]") for at, entry in enumerate(entries))
    if len({subject.name for subject in subjects}) != len(subjects):
        raise StatementError("subject: two subjects have the same name")
    return subjects


def _parse_subject(entry: object, where: str) -> Subject:
    if not isinstance(entry, dict) or entry.keys() != {"name", "digest"}:
        raise StatementError(f"{where}: must have exactly the fields name and digest")
    name, digest = entry["name"], entry["digest"]
    if not isinstance(name, str) or not name:
        raise StatementError(f"{where}.name: must be a string that is not empty")
    if not isinstance(digest, dict) or digest.keys() != {"sha256"}:
        raise StatementError(f"{where}.digest: must have exactly the field sha256")
    sha256 = digest["sha256"]
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise StatementError(f"{where}.digest.sha256: must be 64 lower-case hex digits")
    return Subject(name=name, sha256=sha256)
