"""Subscriptions and their invoices: what a completed session turns into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.objects.periods import period_end
from sandbox.shapes import Json, list_of, new, new_id

if TYPE_CHECKING:
    from sandbox.work import Work


def add_subscription(
    work: Work, *, customer: Json, items: list[Json], extra: Json, payment_method: Json
) -> Json:
    """Return a new active subscription to the recurring ones of the session's line items."""
    identifier = new_id("subscription")
    recurring = [item for item in items if item["price"]["recurring"]]
    entries = [_subscription_item(work, identifier, item) for item in recurring]
    values = {
        "id": identifier,
        "billing_cycle_anchor": work.now,
        "billing_mode": {"type": "flexible"},
        "collection_method": "charge_automatically",
        "currency": items[0]["currency"],
        "customer": customer["id"],
        "default_payment_method": payment_method["id"],
        "description": extra["description"],
        "invoice_settings": {"issuer": {"type": "self"}},
        "items": list_of(f"/v1/subscription_items?subscription={identifier}", entries),
        "metadata": extra["metadata"],
        "start_date": work.now,
        "status": "active",
    }
    return new(stripe.Subscription, work.now, values)


def add_first_invoice(work: Work, *, customer: Json, subscription: Json, items: list[Json]) -> Json:
    """Return the open first invoice: one-time and recurring lines together."""
    identifier = new_id("invoice")
    total = sum(item["amount_total"] for item in items)
    lines = [_invoice_line(work, identifier, subscription, item) for item in items]
    values = {
        "id": identifier,
        "amount_due": total,
        "amount_remaining": total,
        "auto_advance": False,
        "billing_reason": "subscription_create",
        "collection_method": "charge_automatically",
        "currency": subscription["currency"],
        "customer": customer["id"],
        "customer_address": customer["address"],
        "customer_email": customer["email"],
        "customer_name": customer["name"],
        "customer_tax_exempt": customer["tax_exempt"],
        "effective_at": work.now,
        "issuer": {"type": "self"},
        "lines": list_of(f"/v1/invoices/{identifier}/lines", lines),
        "metadata": {},
        "number": _number(work, customer),
        "parent": {
            "type": "subscription_details",
            "subscription_details": {
                "metadata": subscription["metadata"],
                "subscription": subscription["id"],
            },
        },
        "period_end": work.now,
        "period_start": work.now,
        "status": "open",
        "status_transitions": {"finalized_at": work.now},
        "subtotal": total,
        "subtotal_excluding_tax": total,
        "total": total,
        "total_excluding_tax": total,
    }
    return new(stripe.Invoice, work.now, values)


def settle(work: Work, invoice: Json) -> None:
    """Mark the invoice paid in full."""
    invoice |= {
        "amount_paid": invoice["amount_due"],
        "amount_remaining": 0,
        "attempt_count": 1,
        "attempted": True,
        "status": "paid",
    }
    invoice["status_transitions"]["paid_at"] = work.now


def _subscription_item(work: Work, subscription_id: str, item: Json) -> Json:
    price = item["price"]
    values = {
        "current_period_end": period_end(work.now, price["recurring"]),
        "current_period_start": work.now,
        "metadata": item["metadata"],
        "plan": _plan(price),
        "price": price,
        "quantity": item["quantity"],
        "subscription": subscription_id,
    }
    return new(stripe.SubscriptionItem, work.now, values)


def _plan(price: Json) -> Json:
    """Return the price as the plan that Stripe still sends beside it."""
    shared = ("active", "billing_scheme", "created", "currency", "id", "metadata", "nickname")
    values = {name: price[name] for name in (*shared, "product")} | {
        "amount": price["unit_amount"],
        "amount_decimal": price["unit_amount_decimal"],
        **{name: price["recurring"][name] for name in ("interval", "interval_count", "usage_type")},
    }
    return new(stripe.Plan, price["created"], values)


def _invoice_line(work: Work, invoice_id: str, subscription: Json, item: Json) -> Json:
    price = item["price"]
    values = {
        "amount": item["amount_total"],
        "currency": item["currency"],
        "description": f"{item['quantity']} × {item['description']}",
        "discountable": True,
        "invoice": invoice_id,
        "metadata": subscription["metadata"],
        "parent": _line_parent(subscription, price),
        "period": _line_period(work, price),
        "pricing": {
            "price_details": {"price": price["id"], "product": price["product"]},
            "type": "price_details",
            "unit_amount_decimal": price["unit_amount_decimal"],
        },
        "quantity": item["quantity"],
        "quantity_decimal": str(item["quantity"]),
        "subscription": subscription["id"],
        "subtotal": item["amount_subtotal"],
        "taxes": [],
    }
    return new(stripe.InvoiceLineItem, work.now, values)


def _line_parent(subscription: Json, price: Json) -> Json:
    entries = subscription["items"]["data"]
    own = next((entry["id"] for entry in entries if entry["price"]["id"] == price["id"]), None)
    if own is None:
        details = {"invoice_item": new_id("invoiceitem"), "subscription": subscription["id"]}
        return {"type": "invoice_item_details", "invoice_item_details": details}
    details = {"subscription": subscription["id"], "subscription_item": own}
    return {"type": "subscription_item_details", "subscription_item_details": details}


def _line_period(work: Work, price: Json) -> Json:
    end = period_end(work.now, price["recurring"]) if price["recurring"] else work.now
    return {"start": work.now, "end": end}


def _number(work: Work, customer: Json) -> str:
    earlier = [i for i in work.newest("invoice") if i["customer"] == customer["id"]]
    return f"{customer['id'][-8:].upper()}-{len(earlier) + 1:04d}"
