"""Tax numbers of customers. Their form is checked; whether they exist is not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call
from sandbox.errors import ApiError, no_such
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

_FORMS = {
    "eu_vat": r"[A-Z]{2}[0-9A-Z+*]{2,12}",
    "gb_vat": r"(GB|XI)(\d{9}|\d{12})",
    "us_ein": r"\d{2}-\d{7}",
    "ch_vat": r"CHE-\d{3}\.\d{3}\.\d{3} (MWST|TVA|IVA)",
}
_UNION = (
    *("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU"),
    *("IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"),
)
KINDS = {"GB": "gb_vat", "US": "us_ein", "CH": "ch_vat", **dict.fromkeys(_UNION, "eu_vat")}


def create(call: Call) -> Json:
    """POST /v1/customers/{id}/tax_ids."""
    customer = call.work.get("customer", call.id)
    return add(call.work, customer, call.params["type"], call.params["value"], path="value")


def retrieve(call: Call) -> Json:
    """GET /v1/customers/{id}/tax_ids/{part}."""
    customer = call.work.get("customer", call.id)
    for tax_id in of(call.work, customer):
        if tax_id["id"] == call.part:
            return tax_id
    raise no_such("tax_id", call.part, "id")


def delete(call: Call) -> Json:
    """DELETE /v1/customers/{id}/tax_ids/{part}; invoices that carry it keep it."""
    tax_id = retrieve(call)
    call.work.remove(tax_id)
    call.work.emit("customer.tax_id.deleted", tax_id)
    return {"id": tax_id["id"], "object": "tax_id", "deleted": True}


def add(work: Work, customer: Json, kind: str, value: str, *, path: str) -> Json:
    """Store a tax number; raises ApiError (400) for one that cannot be of its kind."""
    if not re.fullmatch(_FORMS.get(kind, r".{1,50}"), value):
        raise ApiError(f"Invalid value for {kind}.", code="tax_id_invalid", param=path)
    values = {
        "country": value[:2] if kind == "eu_vat" else kind[:2].upper(),
        "customer": customer["id"],
        "owner": {"type": "customer", "customer": customer["id"]},
        "type": kind,
        "value": value,
        "verification": {"status": "unavailable"},
    }
    tax_id = work.add(new(stripe.TaxId, work.now, values), parent=customer["id"])
    work.emit("customer.tax_id.created", tax_id)
    return tax_id


def of(work: Work, customer: Json) -> list[Json]:
    """Return the tax numbers of a customer, in the order they were added."""
    return work.children("tax_id", customer["id"])


def brief(work: Work, customer: Json) -> list[Json]:
    """Return them as invoices and sessions carry them."""
    return [{"type": tax["type"], "value": tax["value"]} for tax in of(work, customer)]
