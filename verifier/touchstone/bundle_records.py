"""The unsigned records in a bundle: payments and downloads, against the receipts beside them."""

import csv
import io
from collections.abc import Sequence

from touchstone.agreeing import compare, part
from touchstone.bundle import MAX_UNPACKED, Bundle
from touchstone.receipts import Receipt
from touchstone.report import Report
from touchstone.strictjson import StrictJsonError, load_document, load_object

PAYMENTS = "payments.json"
LOG = ("downloads.json", "downloads.csv")


def check_payments(
    report: Report, bundle: Bundle, licence: Receipt | None, newer: Sequence[str]
) -> None:
    """Check that the payments are of this purchase and its signatures, and bring its price."""
    try:
        record = load_object(bundle.files.get(PAYMENTS, b""), limit=MAX_UNPACKED)
    except StrictJsonError as error:
        report.fails("payments", str(error))
        return
    agreed = licence.statement.predicate if licence else {}
    purchase = record.get("purchase")
    paid = [row for row in _rows(record.get("payments")) if row.get("id") == _paid_by(purchase)]
    charge = paid[0] if len(paid) == 1 and paid[0].get("kind") == "charge" else None
    pairs: dict[str, tuple[object, object]] = {
        "purchase": (part(purchase, "id"), bundle.purchase),
        "signature": (part(purchase, "signature"), agreed.get("signature")),
        "newer terms": (_signatures(record.get("newer_terms")), sorted(newer)),
        "entity": (part(purchase, "entity"), part(agreed, "entity", "id")),
        "package": (part(purchase, "package"), agreed.get("package")),
        "price": (_asked(purchase, charge), _brought(charge)),
        "currency": (part(purchase, "currency"), part(charge, "currency")),
    }
    compare(report, "payments", pairs)


def _signatures(bound: object) -> list[str] | None:
    rows = _rows(bound)
    named = sorted(str(row.get("signature")) for row in rows)
    return named if isinstance(bound, list) and len(rows) == len(bound) else None


def _paid_by(purchase: object) -> object:
    # Something that no row's id is, where nothing is said.
    return part(purchase, "paid_by") or b""


def check_downloads(report: Report, bundle: Bundle, kits: dict[str, str]) -> None:
    """Check that the log is twice the same, and of the kits that the receipts vouch for."""
    try:
        log = load_document(bundle.files.get(LOG[0], b""), limit=MAX_UNPACKED)
    except StrictJsonError as error:
        report.fails("downloads", str(error))
        return
    rows = _rows(log)
    written = [{name: _cell(value) for name, value in row.items()} for row in rows]
    compare(report, "downloads", {"CSV and JSON": (_read_csv(bundle.files.get(LOG[1])), written)})
    for number, row in enumerate(rows):
        version = str(row.get("version"))
        if version in kits and row.get("kit_sha256") != kits[version]:
            report.fails(f"download {number}", f"not of the kit of {version}: {kits[version]}")


def _rows(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _asked(purchase: object, charge: object) -> int | None:
    # The price once, and the months of maintenance that the charge brought.
    price, month = _number(purchase, "price_minor"), _number(purchase, "maintenance_minor")
    months = _number(charge, "months")
    if price is None or month is None or months is None:
        return None
    return price + months * month


def _brought(charge: object) -> int | None:
    amount, tax = _number(charge, "amount_minor"), _number(charge, "tax_minor")
    return None if amount is None or tax is None else amount - tax


def _number(row: object, name: str) -> int | None:
    value = part(row, name)
    return value if type(value) is int else None


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _read_csv(raw: bytes | None) -> list[dict[str, str]] | None:
    try:
        text = None if raw is None else raw.decode()
        return None if text is None else list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error):
        return None
