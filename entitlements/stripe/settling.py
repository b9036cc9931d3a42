"""From a checkout session to the one door, whoever speaks of it first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from entitlements.completion import complete_purchase
from entitlements.entering import IncomingPayment, PaymentMismatch
from entitlements.models import Entitlement, Purchase
from entitlements.stripe.client import PROVIDER, client


class UnknownPurchase(Exception):
    """No purchase here is known by the session's reference (yet)."""


class ForeignSession(Exception):
    """The session never was of a purchase here: the account sells something else too."""


def settle_purchase(purchase: Purchase) -> Entitlement | None:
    """Ask Stripe about a purchase's session and complete it if it is paid.

    A lost webhook loses nothing: the return page comes here. Raises PaymentMismatch,
    StripeNotConfigured, StripeError.
    """
    if not purchase.checkout_session:
        return None
    session = client().v1.checkout.sessions.retrieve(purchase.checkout_session)
    return settle_session(session.to_dict(), recorded_by="stripe: asked")


def settle_session(session: Mapping[str, Any], *, recorded_by: str) -> Entitlement | None:
    """Complete the purchase of a paid session; None while it is not paid.

    Raises ForeignSession, UnknownPurchase and PaymentMismatch.
    """
    if session.get("payment_status") != "paid":
        return None
    purchase = Purchase.objects.filter(pk=_purchase_id(session)).first()
    if purchase is None:
        raise UnknownPurchase(f"session {session.get('id')}: its purchase is not known here")
    return complete_purchase(
        purchase=purchase,
        payment=IncomingPayment(
            provider=PROVIDER,
            reference=_reference(session),
            amount_minor=_amount(session),
            currency=str(session.get("currency")),
            recorded_by=recorded_by,
        ),
    )


def _purchase_id(session: Mapping[str, Any]) -> UUID:
    try:
        return UUID(str(session.get("client_reference_id")))
    except ValueError:
        raise ForeignSession from None


def _reference(session: Mapping[str, Any]) -> str:
    # The invoice, not the session: renewals and refunds speak of invoices too.
    reference = session.get("invoice") or session.get("id")
    if not isinstance(reference, str):
        raise PaymentMismatch("the session names neither an invoice nor itself")
    return reference


def _amount(session: Mapping[str, Any]) -> int:
    amount = session.get("amount_total")
    if type(amount) is not int:  # True and 2500.5 are no amounts either
        raise PaymentMismatch(f"amount_total: {amount!r} is no whole number of minor units")
    return amount
