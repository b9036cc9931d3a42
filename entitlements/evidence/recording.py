"""What no receipt says, as records: the payments of a purchase and its download log."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from django.db.models import Model
from touchstone.times import format_time

from entitlements.models import Download, Purchase

COLUMNS = ("at", "event", "link", "version", "account", "kit_sha256", "bytes_sent", "reason")


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
                _values(row, "kind", "provider", "reference", "amount_minor", "currency")
                | {"id": str(row.pk), "received_at": format_time(row.received_at)}
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


def downloads_json(purchase: Purchase) -> bytes:
    """The download log, oldest first, as a list of objects."""
    return _json(list(_log(purchase)))


def downloads_csv(purchase: Purchase) -> bytes:
    """The same as a table; what is not known is empty."""
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(_log(purchase))
    return text.getvalue().encode()


def _log(purchase: Purchase) -> Iterator[dict[str, object]]:
    rows = Download.objects.filter(entitlement=purchase.entitlement).select_related("version")
    for row in rows.order_by("pk"):
        yield {
            "at": format_time(row.at),
            "event": row.event,
            "link": str(row.link),
            "version": row.version.version if row.version else None,
            "account": row.member_id,
            "kit_sha256": row.kit_sha256,
            "bytes_sent": row.bytes_sent,
            "reason": row.reason,
        }


def _values(row: Model, *names: str) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}


def _json(document: object) -> bytes:
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"
