"""Subscriptions that must bill no more: cancelled at Stripe at once, and entered as ended."""

from __future__ import annotations

from entitlements.models import Entitlement, Payment, Purchase, Subscription
from entitlements.news import OfNoConcern
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.invoices import subscription_of
from entitlements.stripe.reading import Object, moment, text
from entitlements.stripe.subscriptions import enter_subscription

OVER = ("canceled", "incomplete_expired")


def end_subscription(reference: str) -> None:
    """Cancel a subscription at Stripe; one that is over stays as it is.

    Raises StripeNotConfigured, StripeError.
    """
    found: Object = client().v1.subscriptions.retrieve(reference).to_dict()
    if text(found, "status") not in OVER:
        found = client().v1.subscriptions.cancel(reference).to_dict()
    ended_at = moment(found, "ended_at") or moment(found, "canceled_at")
    known = Subscription.objects.filter(provider=PROVIDER, reference=reference).first()
    if known is not None and ended_at is not None:
        try:
            enter_subscription(found, as_of=max(ended_at, known.as_of))
        except OfNoConcern:
            return  # it never began


def end_subscription_of_duplicate(charge: Payment) -> None:
    """Cancel the subscription that a payment began which bought nothing."""
    if charge.provider != PROVIDER or hasattr(charge, "maintenanceperiod"):
        return
    own = Entitlement.objects.select_related("payment").get(purchase=charge.purchase_id).payment
    duplicate = subscription_paid_by(charge)
    if duplicate and duplicate != subscription_paid_by(own):
        end_subscription(duplicate)


def end_subscriptions(purchase: Purchase) -> None:
    """Cancel every subscription of a purchase: its first, and those that followed."""
    own = Entitlement.objects.select_related("payment").get(purchase=purchase).payment
    live = purchase.subscriptions.filter(provider=PROVIDER).exclude(
        status=Subscription.Status.CANCELED
    )
    references = {subscription_paid_by(own), *live.values_list("reference", flat=True)}
    for reference in sorted(references - {""}):
        end_subscription(reference)


def subscription_paid_by(charge: Payment) -> str:
    """The subscription of the invoice that brought a charge, or ""."""
    if charge.provider != PROVIDER:
        return ""
    return subscription_of(client().v1.invoices.retrieve(charge.reference).to_dict())
