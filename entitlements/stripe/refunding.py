from __future__ import annotations

from entitlements.models import Payment
from entitlements.stripe.client import client


class CannotRefund(Exception):
    """Stripe has no payment to hand back for this row."""


def refund_charge(*, payment: Payment) -> str:
    """Ask Stripe to hand a charge back in full; returns the refund's id.

    Asked again for the same row, Stripe returns the same refund. Raises CannotRefund,
    StripeNotConfigured, StripeError.
    """
    invoice = client().v1.invoices.retrieve(payment.reference, params={"expand": ["payments"]})
    intents = [
        paid.payment.payment_intent
        for paid in (invoice.payments.data if invoice.payments else [])
        if paid.status == "paid" and paid.payment.payment_intent
    ]
    if not intents:
        raise CannotRefund(f"invoice {payment.reference} has no paid payment intent")
    intent = intents[0]
    refund = client().v1.refunds.create(
        params={"payment_intent": intent if isinstance(intent, str) else intent.id},
        options={"idempotency_key": f"refund:{payment.pk}"},
    )
    return refund.id
