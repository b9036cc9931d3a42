"""The end of a subscription's period: renewed by an invoice, or ended as was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import changed
from sandbox.objects import invoices
from sandbox.objects.collecting import collect
from sandbox.objects.invoice_lines import renewed
from sandbox.objects.periods import period_end

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work

# Stripe leaves a renewal in draft for about an hour, so that a shop may add to it.
DRAFT_SECONDS = 3600


def current_end(subscription: Json) -> int:
    """Return when the current period ends."""
    return int(max(item["current_period_end"] for item in subscription["items"]["data"]))


def end_period(work: Work, subscription_id: str) -> None:
    """Begin the next period with a draft invoice, or end the subscription."""
    subscription = work.get("subscription", subscription_id)
    if subscription["cancel_at_period_end"]:
        end(work, subscription, reason="cancellation_requested")
        return
    start = subscription["items"]["data"][0]["current_period_start"]
    items = subscription["items"] | {"data": _next_period(subscription)}
    after, previous = changed(stripe.Subscription, subscription, {"items": items})
    invoice = invoices.draft(
        work,
        subscription=after,
        reason="subscription_cycle",
        period=(start, current_end(subscription)),
        lines=renewed(work, after),
    )
    work.save(invoice | {"automatically_finalizes_at": work.now + DRAFT_SECONDS})
    work.plan("invoice.finalize", invoice, at=work.now + DRAFT_SECONDS)
    previous["latest_invoice"] = after["latest_invoice"]
    after["latest_invoice"] = invoice["id"]
    work.plan("subscription.period_end", after, at=current_end(after))
    work.emit("customer.subscription.updated", work.save(after), previous)


def finalize(work: Work, invoice_id: str) -> None:
    """Finalize a renewal's draft and collect it."""
    invoice = work.get("invoice", invoice_id)
    invoices.finalize(work, invoice)
    collect(work, invoice)


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


def _next_period(subscription: Json) -> list[Json]:
    anchor = subscription["billing_cycle_anchor"]
    entries = []
    for item in subscription["items"]["data"]:
        start = item["current_period_end"]
        until = period_end(start, item["price"]["recurring"], anchor=anchor)
        entries.append(item | {"current_period_start": start, "current_period_end": until})
    return entries


_SUBSCRIPTION = "parent.subscription_details.subscription"
