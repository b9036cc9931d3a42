"""The versions in a bundle: their receipts, and the licence and the entity that they name."""

from touchstone.agreeing import compare, part
from touchstone.bundle import Bundle
from touchstone.envelope import parse_envelope
from touchstone.errors import TouchstoneError
from touchstone.receipts import Receipt, check_receipt
from touchstone.report import Report
from touchstone.revealing import check_buyer_receipt
from touchstone.statement import BENCHMARK_RECEIPT, parse_statement

# Where a buyer receipt and the licence receipt say the same.
_SAME = {
    "entity": (("entity", "id"), ("entity", "id")),
    "its name": (("entity", "legal_name"), ("entity", "legal_name")),
    "signature": (("signature", "id"), ("signature",)),
    "its digest": (("signature", "sha256"), ("chain", "digest")),
    "terms": (("terms", "sha256"), ("terms", "sha256")),
    "their family": (("terms", "family"), ("terms", "family")),
    "their version": (("terms", "version"), ("terms", "version")),
    "package": (("package", "slug"), ("package",)),
}


def check_versions(
    report: Report, bundle: Bundle, keys: bytes, licence: Receipt | None
) -> dict[str, str]:
    """Check each version's two receipts; returns the digest of each kit that one vouches for."""
    kits = {}
    if not bundle.versions:
        report.fails("versions", "the bundle holds no receipt of a version")
    for version in bundle.versions:
        own = Report()
        kit = _check_version(own, bundle, version, keys, licence)
        if kit:
            kits[version] = kit
        report.include(own, under=f"{version} ")
    return kits


def _check_version(
    report: Report, bundle: Bundle, version: str, keys: bytes, licence: Receipt | None
) -> str | None:
    at = f"versions/{version}"
    raw = bundle.files.get(f"{at}/benchmark-receipt.json", b"")
    benchmark = check_receipt(
        report, raw, keys, predicate_type=BENCHMARK_RECEIPT, whose="benchmark "
    )
    revealing = bundle.files.get(f"{at}/buyer-receipt.json", b"")
    check_buyer_receipt(report, revealing, keys, benchmark)
    said = _predicate(revealing)
    compare(
        report,
        "buyer receipt",
        {
            "purchase": (part(said, "purchase"), bundle.purchase),
            "version": (part(said, "package", "version"), version),
        },
    )
    _check_bound(report, bundle, at, said)
    if licence is None or benchmark is None:
        report.unchecked("licence", "two receipts that hold are needed to compare them")
        return None
    agreed, definition = licence.statement.predicate, benchmark.statement.predicate
    compare(
        report,
        "licence",
        {name: (part(said, *one), part(agreed, *other)) for name, (one, other) in _SAME.items()}
        | {
            "the definition's package": (
                part(definition, "definition", "slug"),
                part(agreed, "package"),
            ),
            "its version": (part(definition, "definition", "version"), version),
        },
    )
    return benchmark.statement.subjects[0].sha256


def _predicate(raw: bytes) -> dict[str, object]:
    # What an envelope says is believed by its own check alone; here it is only compared.
    try:
        return parse_statement(parse_envelope(raw).payload).predicate
    except TouchstoneError:
        return {}


def _check_bound(report: Report, bundle: Bundle, at: str, said: dict[str, object]) -> None:
    revealed = said.get("revealed")
    for name in sorted(revealed) if isinstance(revealed, dict) else ():
        salt, content = (part(revealed, name, each) for each in ("salt", "content"))
        pair = (bundle.files.get(f"{at}/{name}.bound"), _joined(salt, content))
        compare(report, f"{name}.bound", {"salt and content": pair})


def _joined(salt: object, content: object) -> bytes | None:
    try:
        return bytes.fromhex(str(salt)) + str(content).encode()
    except ValueError:
        return None
