"""The lines of an invoice: what is charged, for which period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import stripe

from sandbox.objects.periods import period_end
from sandbox.shapes import Json, new, new_id

if TYPE_CHECKING:
    from sandbox.work import Work


@dataclass(frozen=True)
class Line:
    """One thing to charge, from `start` to `end` (Unix seconds)."""

    price: Json
    quantity: int
    name: str
    start: int
    end: int

    @property
    def amount(self) -> int:
        """Return what the line costs, in minor units."""
        return int(self.price["unit_amount"]) * self.quantity


def bought(work: Work, items: list[Json]) -> list[Line]:
    """Return the lines of a first invoice, from the line items of its session."""
    return [
        Line(
            price=item["price"],
            quantity=item["quantity"],
            name=item["description"],
            start=work.now,
            end=_first_end(work, item["price"]),
        )
        for item in items
    ]


def renewed(work: Work, subscription: Json) -> list[Line]:
    """Return the lines of a renewal: each item of the subscription for its current period."""
    return [
        Line(
            price=item["price"],
            quantity=item["quantity"],
            name=work.get("product", item["price"]["product"])["name"],
            start=item["current_period_start"],
            end=item["current_period_end"],
        )
        for item in subscription["items"]["data"]
    ]


def invoice_line(work: Work, line: Line, *, invoice_id: str, subscription: Json) -> Json:
    """Return the line as Stripe's object."""
    price = line.price
    values = {
        "amount": line.amount,
        "currency": price["currency"],
        "description": f"{line.quantity} × {line.name}",
        "discountable": True,
        "invoice": invoice_id,
        "metadata": subscription["metadata"],
        "parent": _parent(subscription, price),
        "period": {"start": line.start, "end": line.end},
        "pricing": {
            "price_details": {"price": price["id"], "product": price["product"]},
            "type": "price_details",
            "unit_amount_decimal": price["unit_amount_decimal"],
        },
        "quantity": line.quantity,
        "quantity_decimal": str(line.quantity),
        "subscription": subscription["id"],
        "subtotal": line.amount,
        "taxes": [],
    }
    return new(stripe.InvoiceLineItem, work.now, values)


def _first_end(work: Work, price: Json) -> int:
    return period_end(work.now, price["recurring"]) if price["recurring"] else work.now


def _parent(subscription: Json, price: Json) -> Json:
    entries = subscription["items"]["data"]
    own = next((entry["id"] for entry in entries if entry["price"]["id"] == price["id"]), None)
    if own is None:
        details = {"invoice_item": new_id("invoiceitem"), "subscription": subscription["id"]}
        return {"type": "invoice_item_details", "invoice_item_details": details}
    details = {"subscription": subscription["id"], "subscription_item": own}
    return {"type": "subscription_item_details", "subscription_item_details": details}
