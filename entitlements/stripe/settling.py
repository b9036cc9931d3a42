"""From a checkout session to the one door, whoever speaks of it first."""

from __future__ import annotations

from entitlements.completion import complete_purchase
from entitlements.entering import IncomingPayment, PaymentMismatch
from entitlements.held_money import hold_payment
from entitlements.models import Entitlement, Purchase
from entitlements.news import Apply, News, OfNoConcern
from entitlements.outbox import enqueue_once
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.invoices import settle_invoice
from entitlements.stripe.reading import MAINTENANCE, Object, amount, part, purchase_named, text


def session_paid(news: News) -> Apply:
    """A session was completed, or its delayed payment arrived."""

    def apply() -> None:
        if part(news.subject, "metadata").get("purpose") == MAINTENANCE:
            raise OfNoConcern("its invoice renews")
        if settle_session(news.subject, recorded_by=news.recorded_by) is None:
            raise OfNoConcern("not paid yet")

    return apply


def session_failed(news: News) -> Apply:
    """A delayed payment did not arrive: nothing was paid, and nothing may be collected later."""

    def apply() -> None:
        session = news.subject
        purchase = purchase_named(
            session.get("client_reference_id"), by=f"session {session.get('id')}"
        )
        enqueue_once(
            "first_payment_failed",
            {"purchase": str(purchase.pk), "subscription": text(session, "subscription")},
        )

    return apply


def session_expired(news: News) -> Apply:
    """A session ended without payment: the next click opens another."""
    raise OfNoConcern("the next click opens another")


def settle_purchase(purchase: Purchase) -> Entitlement | None:
    """Ask Stripe about a purchase's session, and complete or renew what it has paid.

    A lost webhook loses nothing: the return page comes here. Raises PaymentMismatch, after
    the money is held for finance; StripeNotConfigured, StripeError.
    """
    if not purchase.checkout_session:
        return None
    asked = client().v1.checkout.sessions.retrieve(
        purchase.checkout_session, params={"expand": ["invoice"]}
    )
    session, by = asked.to_dict(), "stripe: asked"
    try:
        if part(session, "metadata").get("purpose") != MAINTENANCE:
            flat = session | {"invoice": text(session, "invoice")}
            return settle_session(flat, recorded_by=by)
        if session.get("payment_status") == "paid":
            settle_invoice(part(session, "invoice"), recorded_by=by)
    except OfNoConcern:
        return None
    except PaymentMismatch as mismatch:
        hold_payment(mismatch)
        raise
    return Entitlement.objects.filter(purchase=purchase).first()


def settle_session(session: Object, *, recorded_by: str) -> Entitlement | None:
    """Complete the purchase of a paid session; None while it is not paid.

    Raises OfNoConcern, TooEarly and PaymentMismatch.
    """
    if session.get("payment_status") != "paid":
        return None
    purchase = purchase_named(session.get("client_reference_id"), by=f"session {session.get('id')}")
    return complete_purchase(
        purchase=purchase,
        payment=IncomingPayment(
            provider=PROVIDER,
            reference=_reference(session),
            amount_minor=amount(session, "amount_total"),
            tax_minor=part(session, "total_details").get("amount_tax") or 0,
            currency=str(session.get("currency")),
            recorded_by=recorded_by,
        ),
    )


def _reference(session: Object) -> str:
    # The invoice, not the session: renewals and refunds speak of invoices too.
    reference = session.get("invoice") or session.get("id")
    if not isinstance(reference, str):
        raise PaymentMismatch("the session names neither an invoice nor itself")
    return reference
