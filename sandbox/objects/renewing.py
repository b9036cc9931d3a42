"""The end of a subscription's period: renewed by an invoice, or ended as was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import changed
from sandbox.objects import invoices
from sandbox.objects.collecting import collect
from sandbox.objects.ending import current_end, end
from sandbox.objects.invoice_lines import renewed
from sandbox.objects.periods import period_end

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work

# Stripe leaves a renewal in draft for about an hour, so that a shop may add to it.
DRAFT_SECONDS = 3600


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


def _next_period(subscription: Json) -> list[Json]:
    anchor = subscription["billing_cycle_anchor"]
    entries = []
    for item in subscription["items"]["data"]:
        start = item["current_period_end"]
        until = period_end(start, item["price"]["recurring"], anchor=anchor)
        entries.append(item | {"current_period_start": start, "current_period_end": until})
    return entries
