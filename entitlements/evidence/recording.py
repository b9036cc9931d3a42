"""What no receipt says, as records: the payments of a purchase and its download log."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from django.db.models import Model
from touchstone import bundle as limits
from touchstone.times import format_time

from entitlements.entering import months_of
from entitlements.models import Download, Purchase

COLUMNS = ("at", "event", "link", "version", "account", "kit_sha256", "bytes_sent", "reason")


class BundleTooLarge(Exception):
    """There is more evidence than a verifier reads; the message says of what."""


def payments_json(purchase: Purchase) -> bytes:
    """What was agreed then and later, each payment and refund, and the maintenance they paid."""
    granted = purchase.entitlement
    return _json(
        {
            "purchase": {
                "id": str(purchase.pk),
                "signature": str(purchase.signature_id),
                "entity": str(purchase.entity_id),
                "package": purchase.package.slug,
                "version": purchase.version.version,
                "currency": purchase.currency,
                "price_minor": purchase.price_minor,
                "maintenance_minor": purchase.maintenance_minor,
                "purchase_order": purchase.purchase_order,
                "created_at": format_time(purchase.created_at),
                "paid_by": str(granted.payment_id),
                "granted_at": format_time(granted.granted_at),
            },
            "payments": [
                _values(
                    row, "kind", "provider", "reference", "amount_minor", "tax_minor", "currency"
                )
                | {
                    "id": str(row.pk),
                    "received_at": format_time(row.received_at),
                    "charge": str(row.charge_id) if row.charge_id else None,
                    "months": months_of(row.provider),
                }
                for row in purchase.payments.order_by("received_at", "pk")
            ],
            "newer_terms": [
                {"signature": str(row.signature_id), "bound_at": format_time(row.bound_at)}
                for row in granted.additional_signatures.all()
            ],
            "maintenance": [
                {
                    "payment": str(row.payment_id),
                    "starts_at": format_time(row.starts_at),
                    "ends_at": format_time(row.ends_at),
                }
                for row in granted.maintenance_periods.order_by("pk")
            ],
        }
    )


def downloads_files(purchase: Purchase) -> dict[str, bytes]:
    """The download log, oldest first, twice the same: a list of objects, and a table.

    Raises BundleTooLarge at the row with which it is more than a verifier reads.
    """
    text, objects, size = io.StringIO(newline=""), list[str](), 0
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in _log(purchase):
        table.writerow(row)  # None is written as an empty cell
        objects.append(json.dumps(row, ensure_ascii=False))
        size += len(objects[-1])
        if size > limits.MAX_UNPACKED:
            raise BundleTooLarge(f"the download log has more than {limits.MAX_UNPACKED} bytes")
    listed = ",\n".join(objects)
    return {
        "downloads.json": f"[\n{listed}\n]\n".encode(),
        "downloads.csv": text.getvalue().encode(),
    }


def _log(purchase: Purchase) -> Iterator[dict[str, object]]:
    rows = Download.objects.filter(entitlement=purchase.entitlement).order_by("pk")
    for at, event, link, *others in rows.values_list(
        "at",
        "event",
        "link",
        "version__version",
        "member_id",
        "kit_sha256",
        "bytes_sent",
        "reason",
    ).iterator():
        yield dict(zip(COLUMNS, (format_time(at), event, str(link), *others), strict=True))


def _values(row: Model, *names: str) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}


def _json(document: object) -> bytes:
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"
