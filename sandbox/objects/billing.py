"""Subscriptions: what a completed session turns into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.objects.instruments import BANK
from sandbox.objects.periods import period_end
from sandbox.shapes import Json, list_of, new, new_id

if TYPE_CHECKING:
    from sandbox.work import Work


def add_subscription(
    work: Work, *, customer: Json, items: list[Json], extra: Json, payment_method: Json
) -> Json:
    """Return a new subscription to the recurring ones of the session's line items."""
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
        "automatic_tax": {"enabled": extra["automatic_tax"]},
        "invoice_settings": {"issuer": {"type": "self"}, **extra["invoice_settings"]},
        "items": list_of(f"/v1/subscription_items?subscription={identifier}", entries),
        "metadata": extra["metadata"],
        "start_date": work.now,
        # Until a delayed payment is heard of, the subscription is incomplete.
        "status": "incomplete" if payment_method["type"] == BANK else "active",
    }
    return new(stripe.Subscription, work.now, values)


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
