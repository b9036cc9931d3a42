"""A receipt by itself: signed by a key for its kind, and a statement of that kind."""

from dataclasses import dataclass

from touchstone.envelope import EnvelopeError, SignatureError, verify_envelope
from touchstone.errors import TouchstoneError
from touchstone.keys import KeysError, parse_keys
from touchstone.report import Report
from touchstone.statement import PURPOSES, Statement, StatementError, parse_statement


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was signed: the bytes, and what they say."""

    payload: bytes
    statement: Statement


def check_receipt(
    report: Report, raw: bytes, keys: bytes, *, predicate_type: str, whose: str = ""
) -> Receipt | None:
    """Check signature and kind; `whose` goes before the names of the checks. None: it fails."""
    purpose = PURPOSES[predicate_type]
    try:
        verified = verify_envelope(raw, parse_keys(keys), purpose=purpose)
    except (KeysError, EnvelopeError, SignatureError) as error:
        report.fails(f"{whose}{_failed_part(error)}", str(error))
        return None
    report.holds(f"{whose}signature", f"by the {verified.key.status} key {verified.key.kid}")
    try:
        statement = parse_statement(verified.payload)
    except StatementError as error:
        report.fails(f"{whose}statement", str(error))
        return None
    if statement.predicate_type != predicate_type:
        report.fails(f"{whose}statement", f"predicateType: must be {predicate_type}")
        return None
    report.holds(f"{whose}statement", f"a {purpose} receipt, version 1")
    return Receipt(verified.payload, statement)


def _failed_part(error: TouchstoneError) -> str:
    parts = {KeysError: "keys", EnvelopeError: "receipt"}
    return parts.get(type(error), "signature")
