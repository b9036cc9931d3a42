"""The end of a subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work

_SUBSCRIPTION = "parent.subscription_details.subscription"


def current_end(subscription: Json) -> int:
    """Return when the current period ends."""
    return int(max(item["current_period_end"] for item in subscription["items"]["data"]))


def at_period_end(work: Work, subscription: Json, *, wanted: bool) -> Json:
    """Return the changes that let a subscription end with its period, or go on after all."""
    details = {"comment": None, "feedback": None, "reason": None}
    if not wanted:
        changes = {"cancel_at_period_end": False, "cancel_at": None, "canceled_at": None}
        return changes | {"cancellation_details": details}
    return {
        "cancel_at": current_end(subscription),
        "cancel_at_period_end": True,
        "canceled_at": work.now,
        "cancellation_details": details | {"reason": "cancellation_requested"},
    }


def end(work: Work, subscription: Json, *, reason: str) -> None:
    """Cancel a subscription now and tell of it; nothing more is collected by the clock."""
    subscription |= {"ended_at": work.now, "status": "canceled"}
    subscription["canceled_at"] = subscription["canceled_at"] or work.now
    subscription["cancellation_details"] = {"comment": None, "feedback": None, "reason": reason}
    work.forget_plans(subscription)
    for invoice in work.where("invoice", _SUBSCRIPTION, subscription["id"]):
        if invoice["status"] in ("draft", "open"):
            work.forget_plans(invoice)
            work.save(invoice | {"auto_advance": False, "next_payment_attempt": None})
    work.emit("customer.subscription.deleted", work.save(subscription))
