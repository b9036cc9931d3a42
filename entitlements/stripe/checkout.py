from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse

from entitlements.models import Purchase
from entitlements.stripe.client import client
from entitlements.stripe.ending import OVER

if TYPE_CHECKING:
    from stripe.checkout import Session
    from stripe.params.checkout import SessionCreateParams


def start_checkout(purchase: Purchase) -> str:
    """The address where a pending purchase is paid.

    An open session of the purchase is used again, so that two tabs pay once; a session that
    ended without payment is followed by a new one. Raises StripeNotConfigured, StripeError.
    """
    previous = _previous(purchase)
    if previous is not None and previous.status == "open" and previous.url:
        return previous.url
    if previous is not None and previous.status == "complete" and not _has_failed(previous):
        return return_address(purchase, previous.id)
    session = client().v1.checkout.sessions.create(
        params=_params(purchase),
        # The key names the attempt: a request repeated by the network makes one session.
        options={"idempotency_key": f"checkout:{purchase.pk}:{purchase.checkout_session}"},
    )
    Purchase.objects.filter(pk=purchase.pk).update(checkout_session=session.id)
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


def _has_failed(session: Session) -> bool:
    """Whether a delayed payment did not arrive: what the session began was ended then."""
    subscription = session.to_dict().get("subscription") or {}
    return session.payment_status == "unpaid" and subscription.get("status") in OVER


def _params(purchase: Purchase) -> SessionCreateParams:
    signature, definition = purchase.signature, purchase.version.definition
    metadata = {
        "purchase": str(purchase.pk),
        "signature": str(signature.pk),
        "terms_sha256": signature.terms_sha256,
        "version": purchase.version.version,
        "purchase_order": purchase.purchase_order,
    }
    params: SessionCreateParams = {
        "mode": "subscription",
        "client_reference_id": str(purchase.pk),
        "line_items": [
            _line(purchase, purchase.price_minor, definition.title),
            _line(
                purchase,
                purchase.maintenance_minor,
                f"Maintenance: {definition.title}",
                monthly=True,
            ),
        ],
        "metadata": metadata,
        "subscription_data": {"metadata": metadata},
        "success_url": return_address(purchase, "{CHECKOUT_SESSION_ID}"),
        "cancel_url": settings.SITE_URL + purchase.get_absolute_url(),
    }
    if purchase.buyer is not None:
        params["customer_email"] = purchase.buyer.email
    return params


def _line(purchase: Purchase, amount: int, name: str, *, monthly: bool = False) -> Any:
    price: dict[str, Any] = {
        "currency": purchase.currency.lower(),
        "unit_amount": amount,
        "product_data": {"name": name},
    }
    if monthly:
        price["recurring"] = {"interval": "month"}
    return {"price_data": price, "quantity": 1}
