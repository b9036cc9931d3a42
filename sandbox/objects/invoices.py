"""Invoices of a subscription: drafted, finalized, paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.objects import tax_ids
from sandbox.objects.invoice_lines import Line, invoice_line
from sandbox.shapes import Json, list_of, new, new_id

if TYPE_CHECKING:
    from sandbox.work import Work


def draft(
    work: Work, *, subscription: Json, reason: str, period: tuple[int, int], lines: list[Line]
) -> Json:
    """Store a draft for these lines and tell of it."""
    identifier = new_id("invoice")
    customer = work.get("customer", subscription["customer"])
    total = sum(line.amount for line in lines)
    entries = [
        invoice_line(work, line, invoice_id=identifier, subscription=subscription) for line in lines
    ]
    values = {
        "id": identifier,
        "amount_due": total,
        "amount_remaining": total,
        "auto_advance": True,
        "billing_reason": reason,
        "collection_method": "charge_automatically",
        "currency": subscription["currency"],
        "issuer": {"type": "self"},
        "lines": list_of(f"/v1/invoices/{identifier}/lines", entries),
        "metadata": {},
        "parent": _parent(subscription),
        "period_end": period[1],
        "period_start": period[0],
        "status": "draft",
        "subtotal": total,
        "subtotal_excluding_tax": total,
        "total": total,
        "total_excluding_tax": total,
        **_of_customer(work, customer),
        **_printed(subscription, customer),
    }
    invoice = work.add(new(stripe.Invoice, work.now, values))
    work.emit("invoice.created", invoice)
    return invoice


def finalize(work: Work, invoice: Json) -> None:
    """Number a draft and open it: from now on it does not change but by payment."""
    customer = work.get("customer", invoice["customer"])
    invoice |= {
        "automatically_finalizes_at": None,
        "effective_at": work.now,
        "number": _number(work, customer),
        "status": "open",
        **_of_customer(work, customer),
        "hosted_invoice_url": f"{work.base_url}/i/{invoice['id']}",
        "invoice_pdf": f"{work.base_url}/i/{invoice['id']}/pdf",
    }
    invoice["status_transitions"]["finalized_at"] = work.now
    work.emit("invoice.finalized", work.save(invoice))


def settle(work: Work, invoice: Json) -> None:
    """Mark an open invoice paid in full and tell of it."""
    before = {name: invoice[name] for name in ("amount_paid", "amount_remaining", "status")}
    invoice |= {
        "amount_paid": invoice["amount_due"],
        "amount_remaining": 0,
        "attempted": True,
        "auto_advance": False,
        "next_payment_attempt": None,
        "status": "paid",
    }
    invoice["status_transitions"]["paid_at"] = work.now
    work.forget_plans(invoice)
    work.emit("invoice.updated", work.save(invoice), before)
    work.emit("invoice.paid", invoice)
    work.emit("invoice.payment_succeeded", invoice)


def void(work: Work, invoice: Json) -> None:
    """Declare an open invoice void and tell of it: it is never collected."""
    invoice |= {"auto_advance": False, "next_payment_attempt": None, "status": "void"}
    invoice["status_transitions"]["voided_at"] = work.now
    work.forget_plans(invoice)
    work.emit("invoice.voided", work.save(invoice))


def subscription_of(work: Work, invoice: Json) -> Json:
    """Return the subscription that an invoice belongs to, as it is now."""
    details = invoice["parent"]["subscription_details"]
    return work.get("subscription", details["subscription"])


def _parent(subscription: Json) -> Json:
    details = {"metadata": subscription["metadata"], "subscription": subscription["id"]}
    return {"type": "subscription_details", "subscription_details": details}


def _of_customer(work: Work, customer: Json) -> Json:
    return {
        "customer": customer["id"],
        "customer_address": customer["address"],
        "customer_email": customer["email"],
        "customer_name": customer["name"],
        "customer_phone": customer["phone"],
        "customer_tax_exempt": customer["tax_exempt"],
        "customer_tax_ids": tax_ids.brief(work, customer),
    }


def _printed(subscription: Json, customer: Json) -> Json:
    """Return what the shop has printed on a new invoice; the subscription's own goes first."""
    own, general = subscription["invoice_settings"], customer["invoice_settings"]
    taxed = {"enabled": True, "provider": "stripe", "status": "complete"}
    return {
        "automatic_tax": taxed if subscription["automatic_tax"]["enabled"] else {},
        "custom_fields": own["custom_fields"] or general["custom_fields"],
        "description": own["description"],
        "footer": own["footer"] or general["footer"],
    }


def _number(work: Work, customer: Json) -> str:
    numbered = [i for i in work.where("invoice", "customer", customer["id"]) if i["number"]]
    return f"{customer['id'][-8:].upper()}-{len(numbered) + 1:04d}"
