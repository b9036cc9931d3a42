"""Changes to an invoice by the shop: what is printed on it, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call, changed, merged_metadata
from sandbox.errors import ApiError, not_simulated
from sandbox.objects import invoices
from sandbox.objects.instruments import owned

if TYPE_CHECKING:
    from sandbox.shapes import Json

_OF_A_DRAFT = ("custom_fields", "default_payment_method", "description", "footer")
MOST_CUSTOM_FIELDS = 4


def update(call: Call) -> Json:
    """POST /v1/invoices/{id}: what is printed on a draft; metadata at any time."""
    invoice, params = call.work.get("invoice", call.id), call.params
    for name in params:
        if name not in (*_OF_A_DRAFT, "metadata", "expand"):
            raise not_simulated(name)
    changes = {name: params[name] for name in _OF_A_DRAFT if name in params}
    if changes and invoice["status"] != "draft":
        raise ApiError(
            "Finalized invoices can't be updated in this way", code="invoice_not_editable"
        )
    if len(changes.get("custom_fields") or ()) > MOST_CUSTOM_FIELDS:
        raise ApiError("Invoices can have up to 4 custom fields.", param="custom_fields")
    if changes.get("default_payment_method"):
        method, name = changes["default_payment_method"], "default_payment_method"
        owned(call.work, method, invoice["customer"], param=name)
    changes["metadata"] = merged_metadata(invoice["metadata"], params)
    after, previous = changed(stripe.Invoice, invoice, changes)
    call.work.emit("invoice.updated", call.work.save(after), previous)
    return after


def void(call: Call) -> Json:
    """POST /v1/invoices/{id}/void: one that is open; its subscription goes on."""
    invoice = call.work.get("invoice", call.id)
    if invoice["status"] != "open":
        raise ApiError(f"An invoice that is {invoice['status']} cannot be voided.")
    invoices.void(call.work, invoice)
    return invoice
