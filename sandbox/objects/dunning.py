"""What follows when an invoice could not be collected, and when it then could."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.objects.ending import end
from sandbox.objects.invoices import subscription_of, void

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work

_DAY = 86_400
# After each failed attempt the next one follows so many days later; then the subscription ends.
RETRY_DAYS = (3, 5, 7)
# The time that Stripe gives the first payment of a subscription.
FIRST_PAYMENT_SECONDS = 23 * 3600
_CURABLE = ("past_due", "incomplete")


def failed(work: Work, invoice: Json, *, scheduled: bool) -> None:
    """Note a failed attempt, plan the next, and let the subscription follow.

    Attempts by hand after the first neither count nor move the next one, as with Stripe.
    """
    names = ("attempt_count", "attempted", "next_payment_attempt")
    before = {name: invoice[name] for name in names}
    subscription = subscription_of(work, invoice)
    first = subscription["status"] == "incomplete"
    if scheduled or not invoice["attempt_count"]:
        invoice["attempt_count"] += 1
        if not first:
            _plan_next(work, invoice)
    invoice["attempted"] = True
    work.emit("invoice.updated", work.save(invoice), before)
    work.emit("invoice.payment_failed", invoice)
    if first:
        patience = subscription["created"] + FIRST_PAYMENT_SECONDS
        work.plan("subscription.expire", subscription, at=max(patience, work.now))
    if subscription["status"] not in ("active", "past_due"):
        return
    if invoice["next_payment_attempt"] is None:
        end(work, subscription, reason="payment_failed")
    else:
        become(work, subscription, "past_due")


def recovered(work: Work, invoice: Json) -> None:
    """Let the subscription of a paid invoice be active again, if this was its latest."""
    subscription = subscription_of(work, invoice)
    if subscription["status"] in _CURABLE and subscription["latest_invoice"] == invoice["id"]:
        become(work, subscription, "active")


def expire(work: Work, subscription_id: str) -> None:
    """Give a subscription up whose first payment failed, and void its invoice."""
    subscription = work.get("subscription", subscription_id)
    if subscription["status"] != "incomplete":
        return
    work.forget_plans(subscription)
    void(work, work.get("invoice", subscription["latest_invoice"]))
    subscription["ended_at"] = work.now
    become(work, subscription, "incomplete_expired")


def become(work: Work, subscription: Json, status: str) -> None:
    """Change the status of a subscription and tell of it, if it is another one."""
    before = {"status": subscription["status"]}
    if before["status"] != status:
        subscription["status"] = status
        work.emit("customer.subscription.updated", work.save(subscription), before)


def _plan_next(work: Work, invoice: Json) -> None:
    done = invoice["attempt_count"]
    invoice["next_payment_attempt"] = None
    if done <= len(RETRY_DAYS):
        invoice["next_payment_attempt"] = work.now + RETRY_DAYS[done - 1] * _DAY
        work.plan("invoice.retry", invoice, at=invoice["next_payment_attempt"])
