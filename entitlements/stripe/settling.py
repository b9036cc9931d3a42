"""From a checkout session to the one door, whoever speaks of it first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from entitlements.completion import IncomingPayment, complete_purchase
from entitlements.models import Entitlement, Purchase
from entitlements.stripe.client import PROVIDER, client


class UnknownPurchase(Exception):
    """No purchase here is known by the session's reference (yet)."""


def settle_purchase(purchase: Purchase) -> Entitlement | None:
    """Ask Stripe about a purchase's session and complete it if it is paid.

    A lost webhook loses nothing: the return page and the worker come here. Raises
    PaymentMismatch, StripeNotConfigured, StripeError.
    """
    if not purchase.checkout_session:
        return None
    session = client().v1.checkout.sessions.retrieve(purchase.checkout_session)
    return settle_session(session.to_dict(), recorded_by="stripe: asked")


def settle_session(session: Mapping[str, Any], *, recorded_by: str) -> Entitlement | None:
    """Complete the purchase of a paid session; None while it is not paid.

    Raises UnknownPurchase and PaymentMismatch.
    """
    if session.get("payment_status") != "paid":
        return None
    reference = _reference(session)
    purchase = Purchase.objects.filter(pk=reference).first() if reference else None
    if purchase is None:
        raise UnknownPurchase(f"session {session['id']}: its purchase is not known here")
    return complete_purchase(
        purchase=purchase,
        payment=IncomingPayment(
            provider=PROVIDER,
            # The invoice, not the session: renewals and refunds speak of invoices too.
            reference=str(session.get("invoice") or session["id"]),
            amount_minor=int(session["amount_total"]),
            currency=str(session["currency"]),
            recorded_by=recorded_by,
        ),
    )


def _reference(session: Mapping[str, Any]) -> UUID | None:
    try:
        return UUID(str(session.get("client_reference_id")))
    except ValueError:
        return None
