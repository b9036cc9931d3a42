"""Subscriptions at Stripe and ours, and those that should bill no more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.utils import timezone

from entitlements.difference import Difference
from entitlements.models import Hold, Payment, Purchase, Subscription
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.ending import OVER, end_subscription
from entitlements.stripe.reading import Object, part, text
from entitlements.stripe.subscriptions import ends, enter_subscription, period_of, status_of
from entitlements.stripe.sweep.reading import (
    BY_HAND,
    FROM_LISTS,
    PAGE,
    Window,
    found,
    is_ours,
    purchase_of,
)

Status = Subscription.Status


def compare_subscriptions(window: Window) -> Iterator[Difference]:
    """Every subscription that lives at Stripe or here, and those that ended in the window."""
    subscriptions, seen = client().v1.subscriptions, set[str]()
    living = subscriptions.list(params={"limit": PAGE})
    ended = subscriptions.list(
        params={"status": "canceled", "created": window.created, "limit": PAGE}
    )
    for listed in (living, ended):
        for subscription in window.each("subscriptions", listed):
            seen.add(text(subscription, "id"))
            yield from _at_stripe(subscription)
    ours = Subscription.objects.filter(provider=PROVIDER).exclude(status=Status.CANCELED)
    for row in ours.exclude(reference__in=seen):
        there = found(subscriptions.retrieve, row.reference)
        if there is None:
            said = "it goes on here, and is unknown to Stripe"
            yield Difference(subject=f"subscription {row.reference}", said=said, way_out=BY_HAND)
        else:
            yield from _at_stripe(there)


def _at_stripe(subscription: Object) -> Iterator[Difference]:
    reference, named = text(subscription, "id"), part(subscription, "metadata").get("purchase")
    status = status_of(subscription)
    if not is_ours(named) or not status:
        return
    purchase, subject = purchase_of(named), f"subscription {reference}"
    if purchase is None:
        said = f"it names purchase {named}, which is not here"
        yield Difference(subject=subject, said=said, way_out=BY_HAND)
        return
    if text(subscription, "status") not in OVER and (why := _should_be_over(purchase, reference)):
        yield Difference(
            subject=subject,
            said=f"it goes on billing: {why}",
            way_out=FROM_LISTS,
            repair=partial(end_subscription, reference),
        )
    row = Subscription.objects.filter(provider=PROVIDER, reference=reference).first()
    theirs = (status, None if status == Status.CANCELED else ends(subscription))
    ours = (row.status, row.cancel_at) if row else None
    same_period = row is not None and row.period_ends_at == period_of(subscription)[1]
    if ours != theirs or not (same_period or status == Status.CANCELED):
        yield Difference(
            subject=subject,
            said=f"{subscription.get('status')} at Stripe, and {ours[0] if ours else 'not'} here"
            + ("" if ours is None or ours[0] != status else ", with another end"),
            way_out=FROM_LISTS,
            repair=partial(_enter, reference),
        )


def _enter(reference: str) -> None:
    # Read anew, so that this is the newest word: newer than any event's that is here.
    subscription = client().v1.subscriptions.retrieve(reference).to_dict()
    known = Subscription.objects.filter(provider=PROVIDER, reference=reference).first()
    as_of = max(timezone.now(), known.as_of) if known else timezone.now()
    enter_subscription(subscription, as_of=as_of)


def _should_be_over(purchase: Purchase, reference: str) -> str:
    holds = Hold.objects.filter(entitlement__purchase=purchase, released_at__isnull=True)
    if holds.filter(reason=Hold.Reason.REFUND).exists():
        return "the purchase was refunded"
    lost = holds.filter(
        reason=Hold.Reason.DISPUTE, entitlement__payment__disputes__state="lost"
    ).exists()
    if lost:
        return "the dispute of its first payment was lost"
    if _began_with_a_duplicate(purchase, reference):
        return "it began with a second payment, which goes back"
    return ""


def _began_with_a_duplicate(purchase: Purchase, reference: str) -> bool:
    charges = Payment.objects.filter(purchase=purchase, provider=PROVIDER, kind=Payment.Kind.CHARGE)
    duplicates = set(charges.filter(maintenanceperiod=None).values_list("reference", flat=True))
    if not duplicates:
        return False
    invoices = client().v1.invoices.list(params={"subscription": reference, "limit": PAGE})
    paid = {invoice.id for invoice in invoices.data}
    bought = set(charges.exclude(maintenanceperiod=None).values_list("reference", flat=True))
    return bool(paid & duplicates) and not paid & bought
