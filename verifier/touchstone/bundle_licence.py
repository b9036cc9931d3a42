"""The licence in a bundle: terms, signature record and licence receipt are of each other."""

import hashlib

from touchstone.agreeing import compare, part
from touchstone.bundle import LICENCE, Bundle
from touchstone.receipts import Receipt, check_receipt
from touchstone.report import Report
from touchstone.statement import LICENCE_RECEIPT
from touchstone.strictjson import StrictJsonError, load_object
from touchstone.times import parse_time

TERMS = "terms.md"
SIGNATURE = "signature.json"
MAX_RECORD = 16 << 20

# Where the record of a signature and its receipt say the same: column, then field.
_SAME = {
    "id": ("signature",),
    "terms_sha256": ("terms", "sha256"),
    "entity_id": ("entity", "id"),
    "entity_legal_name": ("entity", "legal_name"),
    "entity_registration_number": ("entity", "registration_number"),
    "entity_country": ("entity", "country"),
    "entity_address": ("entity", "address"),
    "entity_tax_number": ("entity", "tax_number"),
    "signer_name": ("signer", "name"),
    "signer_title": ("signer", "title"),
    "account_email": ("signer", "account_email"),
    "authority_text": ("signer", "authority"),
    "consent_text": ("consent", "text"),
    "consent_given": ("consent", "given"),
    "position": ("chain", "position"),
    "previous_digest": ("chain", "previous_digest"),
}


def check_licence(report: Report, bundle: Bundle, keys: bytes, *, at: str = "") -> Receipt | None:
    """Check the licence receipt below `at`, then text and record. None: the receipt fails."""
    raw = bundle.files.get(f"{at}{LICENCE}.json", b"")
    licence = check_receipt(report, raw, keys, predicate_type=LICENCE_RECEIPT, whose="licence ")
    if licence is None:
        report.unchecked("terms", "no licence receipt that holds says what was signed")
        return None
    predicate, subjects = licence.statement.predicate, licence.statement.subjects
    terms, record = (bundle.files.get(f"{at}{name}") for name in (TERMS, SIGNATURE))
    digest = _digest(terms)
    compare(
        report,
        "terms",
        {
            "the text's digest and the receipt's subject": (digest, subjects[0].sha256),
            "its field terms": (digest, part(predicate, "terms", "sha256")),
        },
    )
    said = part(predicate, "chain", "digest")
    compare(report, "signature digest", {"record and receipt": (_digest(record), said)})
    _check_record(report, record or b"", terms or b"", predicate)
    return licence


def _check_record(report: Report, raw: bytes, terms: bytes, predicate: dict[str, object]) -> None:
    try:
        record = load_object(raw, limit=MAX_RECORD)
    except StrictJsonError as error:
        report.fails("signature record", str(error))
        return
    pairs = {name: (record.get(name), part(predicate, *path)) for name, path in _SAME.items()}
    pairs["terms_body"] = (record.get("terms_body"), f"\\x{terms.hex()}")
    pairs["signed_at"] = (_moment(record.get("signed_at")), _moment(predicate.get("signed_at")))
    pairs["authority_affirmed"] = (record.get("authority_affirmed"), True)
    affirmed = predicate.get("affirmations")
    for each in affirmed if isinstance(affirmed, list) else ():
        key = part(each, "key")
        pairs[f"{key}_text"] = (record.get(f"{key}_text"), part(each, "text"))
        pairs[f"{key}_affirmed"] = (record.get(f"{key}_affirmed"), True)
    if not isinstance(affirmed, list) or len(affirmed) != 4:
        report.fails("affirmations", "predicate.affirmations: must be a list of four")
    compare(report, "signature record", pairs)


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _moment(text: object) -> object:
    try:
        return parse_time(text) if isinstance(text, str) else None
    except ValueError:
        return None
