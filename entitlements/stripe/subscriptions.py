"""Stripe's subscriptions and what fails in them, told to our rows."""

from __future__ import annotations

from datetime import datetime

from entitlements.models import Purchase, Subscription
from entitlements.news import Apply, News, OfNoConcern
from entitlements.outbox import enqueue_once
from entitlements.stripe.client import PROVIDER
from entitlements.stripe.invoices import FIRST, promised, subscription_of
from entitlements.stripe.reading import Object, moment, part, parts, purchase_named, text
from entitlements.subscribing import track_subscription

Status = Subscription.Status
# Stripe's words that are not ours. One that never began is no standing order: "".
STATUS = {
    "trialing": Status.ACTIVE,
    "active": Status.ACTIVE,
    "past_due": Status.PAST_DUE,
    "unpaid": Status.PAST_DUE,
    "paused": Status.PAST_DUE,
    "canceled": Status.CANCELED,
}


def subscription_changed(news: News) -> Apply:
    """A subscription began, changed or ended."""
    return lambda: enter_subscription(news.subject, as_of=news.said_at)


def payment_failed(news: News) -> Apply:
    """A renewal could not be collected; at the hosted page the buyer sees it themselves."""

    def apply() -> None:
        invoice = news.subject
        purchase = purchase_named(
            promised(invoice).get("purchase"), by=f"invoice {invoice.get('id')}"
        )
        if invoice.get("billing_reason") == FIRST or purchase.state == Purchase.State.PENDING:
            raise OfNoConcern("not paid at the first attempt")
        again = moment(invoice, "next_payment_attempt")
        # Once for each attempt, however often the event is applied.
        enqueue_once(
            "maintenance_payment_failed",
            {
                "purchase": str(purchase.pk),
                "invoice": text(invoice, "id"),
                "attempt": invoice.get("attempt_count"),
                "subscription": subscription_of(invoice),
                "again_at": again.isoformat() if again else None,
            },
        )

    return apply


def enter_subscription(subscription: Object, *, as_of: datetime) -> Subscription:
    """Enter a subscription as Stripe shows it. Raises OfNoConcern and TooEarly."""
    purchase = purchase_named(
        part(subscription, "metadata").get("purchase"), by=f"subscription {subscription.get('id')}"
    )
    status = status_of(subscription)
    if not status:
        raise OfNoConcern("it has not begun")
    starts_at, ends_at = period_of(subscription)
    return track_subscription(
        purchase=purchase,
        provider=PROVIDER,
        reference=text(subscription, "id"),
        status=status,
        as_of=as_of,
        cancel_at=ends(subscription),
        period_starts_at=starts_at,
        period_ends_at=ends_at,
    )


def status_of(subscription: Object) -> str:
    """Our word for a subscription's state; "" for one that never began."""
    return STATUS.get(text(subscription, "status"), "")


def ends(subscription: Object) -> datetime | None:
    """When a subscription is to end, if it is."""
    _, ends_at = period_of(subscription)
    at_period_end = subscription.get("cancel_at_period_end") is True
    return moment(subscription, "cancel_at") or (ends_at if at_period_end else None)


def period_of(subscription: Object) -> tuple[datetime | None, datetime | None]:
    """The current period, over all items."""
    items = parts(subscription, "items")
    starts = [at for each in items if (at := moment(each, "current_period_start"))]
    ends_at = [at for each in items if (at := moment(each, "current_period_end"))]
    return (min(starts, default=None), max(ends_at, default=None))
