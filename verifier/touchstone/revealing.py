"""A buyer receipt against the benchmark receipt: what it reveals is what that one bound."""

import hashlib
import re

from touchstone.receipts import Receipt, check_receipt
from touchstone.report import Report
from touchstone.statement import BUYER_RECEIPT

# With a salt of one length, salt and content cannot be cut apart in two ways.
ALGORITHM = "sha256(salt || content)"

_SALT = re.compile(r"[0-9a-f]{64}")
_FIELDS = ("salt", "content")


def check_buyer_receipt(report: Report, raw: bytes, keys: bytes, benchmark: Receipt | None) -> None:
    """Check signature and kind, what it is about, and each thing that it reveals."""
    buyer = check_receipt(report, raw, keys, predicate_type=BUYER_RECEIPT, whose="buyer ")
    if buyer is None or benchmark is None:
        report.unchecked("revealed", "two receipts that hold are needed to compare them")
        return
    _check_reference(report, buyer, benchmark)
    _check_subjects(report, buyer, benchmark)
    revealed = buyer.statement.predicate.get("revealed")
    committed = benchmark.statement.predicate.get("commitments")
    if not isinstance(revealed, dict) or not isinstance(committed, dict):
        report.fails("revealed", "predicate: commitments or revealed is not an object")
        return
    if odd := sorted(revealed.keys() ^ committed.keys()):
        report.fails("revealed names", f"in only one of the receipts: {odd[0]}")
    else:
        report.holds("revealed names", f"all {len(committed)} that are bound")
    for name in sorted(revealed.keys() & committed.keys()):
        _check_revealed(report, name, revealed[name], committed[name])


def _check_reference(report: Report, buyer: Receipt, benchmark: Receipt) -> None:
    about = buyer.statement.predicate.get("benchmark_receipt")
    named = about.get("sha256") if isinstance(about, dict) else None
    digest = hashlib.sha256(benchmark.payload).hexdigest()
    if named == digest:
        report.holds("buyer benchmark receipt", f"payload sha256 {digest}")
    else:
        said = f"it names {named}, the receipt at hand is {digest}"
        report.fails("buyer benchmark receipt", said)


def _check_subjects(report: Report, buyer: Receipt, benchmark: Receipt) -> None:
    theirs = benchmark.statement.subjects
    if buyer.statement.subjects == theirs:
        report.holds("buyer subjects", f"the same {len(theirs)} as the benchmark receipt's")
    else:
        report.fails("buyer subjects", "not those of the benchmark receipt")


def _check_revealed(report: Report, name: str, shown: object, bound: object) -> None:
    part = f"revealed {name}"
    if not isinstance(bound, dict) or bound.get("algorithm") != ALGORITHM:
        report.fails(part, f"commitments.{name}.algorithm: must be {ALGORITHM}")
        return
    salt, content = (shown.get(key) if isinstance(shown, dict) else None for key in _FIELDS)
    if not isinstance(salt, str) or not _SALT.fullmatch(salt):
        report.fails(part, f"revealed.{name}.salt: must be 32 bytes in lower-case hex")
    elif not isinstance(content, str):
        report.fails(part, f"revealed.{name}.content: must be text")
    elif _digest(salt, content) != bound.get("digest"):
        report.fails(part, "is not what the benchmark receipt binds")
    else:
        report.holds(part, f"{len(content.encode())} bytes, bound by {bound['digest']}")


def _digest(salt: str, content: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + content.encode()).hexdigest()
