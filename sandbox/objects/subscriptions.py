"""Changes to a subscription by the shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call, changed, merged_metadata
from sandbox.errors import ApiError, not_simulated
from sandbox.objects.ending import at_period_end, end
from sandbox.objects.instruments import owned

if TYPE_CHECKING:
    from sandbox.shapes import Json

_CHANGEABLE = (
    "cancel_at_period_end",
    "default_payment_method",
    "description",
    "metadata",
    "expand",
)


def update(call: Call) -> Json:
    """POST /v1/subscriptions/{id}: metadata, description, payment method, cancel_at_period_end."""
    subscription = _living(call)
    for name in call.params:
        if name not in _CHANGEABLE:
            raise not_simulated(name)
    changes: Json = {"metadata": merged_metadata(subscription["metadata"], call.params)}
    if "description" in call.params:
        changes["description"] = call.params["description"]
    if "default_payment_method" in call.params:
        changes["default_payment_method"] = _method(call, subscription)
    if "cancel_at_period_end" in call.params:
        wanted = call.params["cancel_at_period_end"]
        changes |= at_period_end(call.work, subscription, wanted=wanted)
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


def _method(call: Call, subscription: Json) -> str | None:
    name = "default_payment_method"
    given = call.params[name]
    customer = subscription["customer"]
    return str(owned(call.work, given, customer, param=name)["id"]) if given else None
