"""Changes to a subscription by the shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call, changed, merged_metadata
from sandbox.errors import ApiError, not_simulated
from sandbox.objects.renewing import current_end, end

if TYPE_CHECKING:
    from sandbox.shapes import Json

_CHANGEABLE = ("cancel_at_period_end", "description", "metadata", "expand")


def update(call: Call) -> Json:
    """POST /v1/subscriptions/{id}: metadata, description and cancel_at_period_end."""
    subscription = _living(call)
    for name in call.params:
        if name not in _CHANGEABLE:
            raise not_simulated(name)
    changes = {"metadata": merged_metadata(subscription["metadata"], call.params)}
    if "description" in call.params:
        changes["description"] = call.params["description"]
    if "cancel_at_period_end" in call.params:
        changes |= _end_of_period(call, subscription)
    after, previous = changed(stripe.Subscription, subscription, changes)
    call.work.emit("customer.subscription.updated", call.work.save(after), previous)
    return after


def cancel(call: Call) -> Json:
    """DELETE /v1/subscriptions/{id}: at once, without proration."""
    subscription = _living(call)
    for name in call.params:
        if name != "expand":
            raise not_simulated(name)
    end(call.work, subscription, reason="cancellation_requested")
    return subscription


def _living(call: Call) -> Json:
    subscription = call.work.get("subscription", call.id)
    if subscription["status"] == "canceled":
        raise ApiError(
            "A canceled subscription can only update its cancellation_details and metadata."
        )
    return subscription


def _end_of_period(call: Call, subscription: Json) -> Json:
    if not call.params["cancel_at_period_end"]:
        return {"cancel_at_period_end": False, "cancel_at": None, "canceled_at": None}
    return {
        "cancel_at_period_end": True,
        "cancel_at": current_end(subscription),
        "canceled_at": call.work.now,
    }
