"""Events as Stripe sends them, for tests that need no provider."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from django.utils import timezone

if TYPE_CHECKING:
    from entitlements.models import Purchase

_numbers = count(1)


def event(kind: str, subject: dict[str, Any], *, at: datetime | None = None) -> dict[str, Any]:
    """An event of a type about an object, with an id of its own."""
    return {
        "id": f"evt_made_{next(_numbers)}",
        "object": "event",
        "type": kind,
        "created": unix(at or timezone.now()),
        "data": {"object": subject},
    }


def unix(moment: datetime) -> int:
    """A time as Stripe writes it."""
    return int(moment.timestamp())


def invoice(
    purchase: Purchase,
    *,
    reference: str = "in_1",
    period: tuple[datetime, datetime],
    **changed: Any,
) -> dict[str, Any]:
    """A paid renewal invoice of a purchase's subscription; `changed` replaces fields."""
    metadata = {"purchase": str(purchase.pk)}
    line = {
        "object": "line_item",
        "amount": purchase.maintenance_minor,
        "period": {"start": unix(period[0]), "end": unix(period[1])},
        "parent": {"type": "subscription_item_details"},
    }
    return {
        "id": reference,
        "object": "invoice",
        "status": "paid",
        "billing_reason": "subscription_cycle",
        "amount_paid": purchase.maintenance_minor,
        "currency": purchase.currency.lower(),
        "total_taxes": [],
        "lines": {"object": "list", "data": [line]},
        "parent": {
            "type": "subscription_details",
            "subscription_details": {"subscription": "sub_1", "metadata": metadata},
        },
    } | changed


def subscription(
    purchase: Purchase, *, period: tuple[datetime, datetime], **changed: Any
) -> dict[str, Any]:
    """An active subscription of a purchase in a period; `changed` replaces fields."""
    item = {
        "object": "subscription_item",
        "current_period_start": unix(period[0]),
        "current_period_end": unix(period[1]),
    }
    return {
        "id": "sub_1",
        "object": "subscription",
        "status": "active",
        "cancel_at": None,
        "cancel_at_period_end": False,
        "items": {"object": "list", "data": [item]},
        "metadata": {"purchase": str(purchase.pk)},
    } | changed
