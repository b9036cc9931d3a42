from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from django.conf import settings
from django.urls import reverse

from entitlements.models import ProviderPrice, Purchase
from entitlements.stripe.client import client
from entitlements.stripe.customers import customer_for
from entitlements.stripe.ending import OVER
from entitlements.stripe.prices import price_for, product_names
from entitlements.stripe.reading import MAINTENANCE

if TYPE_CHECKING:
    from stripe.checkout import Session
    from stripe.params.checkout import SessionCreateParams

PURCHASE = "purchase"
Term = ProviderPrice.Term


def start_checkout(purchase: Purchase, *, purpose: str = PURCHASE) -> str:
    """The address where a purchase is paid, or its maintenance begins anew.

    An open session of the same is used again, so that two tabs pay once; a session that ended
    without payment is followed by a new one. Raises StripeNotConfigured, StripeError.
    """
    previous = _previous(purchase)
    if previous is not None and _is_for(previous, purchase, purpose):
        if previous.status == "open" and previous.url:
            return previous.url
        if previous.status == "complete" and not _is_over(previous):
            return return_address(purchase, previous.id)
    if previous is not None and previous.status == "open":
        client().v1.checkout.sessions.expire(previous.id)
    session = _create(purchase, session_params(purchase, purpose))
    # Race: another click was first. Its session is the one that counts, and this one ends unpaid.
    same = Purchase.objects.filter(pk=purchase.pk, checkout_session=purchase.checkout_session)
    if not same.update(checkout_session=session.id):
        current = Purchase.objects.get(pk=purchase.pk)
        if current.checkout_session != session.id:
            client().v1.checkout.sessions.expire(session.id)
            return start_checkout(current, purpose=purpose)
    return session.url or return_address(purchase, session.id)


def return_address(purchase: Purchase, session: str) -> str:
    """Where Stripe sends the buyer back to; the page there asks Stripe itself."""
    path = reverse("entitlements:returned", args=[purchase.pk])
    return f"{settings.SITE_URL}{path}?session_id={session}"


def _previous(purchase: Purchase) -> Session | None:
    if not purchase.checkout_session:
        return None
    return client().v1.checkout.sessions.retrieve(
        purchase.checkout_session, params={"expand": ["subscription"]}
    )


def _is_for(session: Session, purchase: Purchase, purpose: str) -> bool:
    said = session.to_dict().get("metadata") or {}
    # Stripe keeps no empty value.
    order = said.get("purchase_order", "")
    return (said.get("purpose"), order) == (purpose, purchase.purchase_order)


def _is_over(session: Session) -> bool:
    """Whether what a session began has ended: a delayed payment failed, or maintenance did."""
    subscription = session.to_dict().get("subscription") or {}
    return subscription.get("status") in OVER


def _create(purchase: Purchase, params: SessionCreateParams) -> Session:
    from stripe import APIError  # see client.py

    # The key names the attempt and all that is asked: repeated by the network, by two clicks at
    # once, it makes one session; with anything changed it is another request.
    asked = json.dumps([params, purchase.checkout_session], sort_keys=True)
    key = f"checkout:{purchase.pk}:{hashlib.sha256(asked.encode()).hexdigest()}"
    create = client().v1.checkout.sessions.create
    try:
        return create(params=params, options={"idempotency_key": key})
    except APIError as error:
        # Stripe repeats an error of its own under its key for a day. Nobody has that session's
        # address, if there is one: it cannot be paid.
        if (error.http_status or 0) < 500:
            raise
        return create(params=params, options={"idempotency_key": f"{key}:{uuid4()}"})


def session_params(purchase: Purchase, purpose: str) -> SessionCreateParams:
    """What a session of a purchase asks, with the entity's customer brought up to date."""
    signature = purchase.signature
    metadata = {
        "purchase": str(purchase.pk),
        "purpose": purpose,
        "signature": str(signature.pk),
        "terms_sha256": signature.terms_sha256,
        "version": purchase.version.version,
        "purchase_order": purchase.purchase_order,
    }
    terms = [Term.MONTH] if purpose == MAINTENANCE else [Term.ONCE, Term.MONTH]
    params: dict[str, Any] = {
        "mode": "subscription",
        "client_reference_id": str(purchase.pk),
        "customer": customer_for(purchase),
        "line_items": [_line(purchase, term) for term in terms],
        "metadata": metadata,
        "subscription_data": {"metadata": metadata},
        "success_url": return_address(purchase, "{CHECKOUT_SESSION_ID}"),
        "cancel_url": settings.SITE_URL + purchase.get_absolute_url(),
    }
    if settings.STRIPE_AUTOMATIC_TAX:
        params["automatic_tax"] = {"enabled": True}
    return cast("SessionCreateParams", params)


def _line(purchase: Purchase, term: Term) -> Any:
    if reference := price_for(purchase, term):
        return {"price": reference, "quantity": 1}
    price: dict[str, Any] = {
        "currency": purchase.currency.lower(),
        "unit_amount": (purchase.price_minor if term == Term.ONCE else purchase.maintenance_minor),
        "product_data": {"name": product_names(purchase.version)[term]},
        "tax_behavior": "exclusive",
    }
    if term == Term.MONTH:
        price["recurring"] = {"interval": "month"}
    return {"price_data": price, "quantity": 1}
