"""Stripe's billing portal: cards, invoices and cancelling, on pages of Stripe's own."""

from __future__ import annotations

from django.conf import settings

from entitlements.models import ProviderCustomer, Purchase
from entitlements.stripe.client import PROVIDER, client


class NoCustomer(Exception):
    """The entity never paid by Stripe; the message says so."""


def open_portal(purchase: Purchase) -> str:
    """The address of the portal of a purchase's entity, good for a short time.

    Raises NoCustomer, StripeNotConfigured, StripeError.
    """
    known = ProviderCustomer.objects.filter(entity=purchase.entity_id, provider=PROVIDER).first()
    if known is None:
        raise NoCustomer("Nothing was paid by card here yet, so there is no card and no invoice.")
    session = client().v1.billing_portal.sessions.create(
        params={
            "customer": known.reference,
            "return_url": settings.SITE_URL + purchase.get_absolute_url(),
        }
    )
    return session.url
