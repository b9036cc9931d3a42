from __future__ import annotations

from entitlements.models import Refund
from entitlements.stripe.client import client


class CannotRefund(Exception):
    """Stripe has no payment to hand back for this row."""


# Stripe asks the customer something before it goes on; until then it is on its way.
STATES = {"requires_action": Refund.State.PENDING}


def refund_charge(*, refund: Refund) -> tuple[str, str]:
    """Ask Stripe to hand a charge back, whole or in part; returns the refund's id and state.

    Asked again for the same refund, Stripe returns the same refund. Raises CannotRefund,
    StripeNotConfigured, StripeError.
    """
    charge = refund.charge
    invoice = client().v1.invoices.retrieve(charge.reference, params={"expand": ["payments"]})
    intents = [
        paid.payment.payment_intent
        for paid in (invoice.payments.data if invoice.payments else [])
        if paid.status == "paid" and paid.payment.payment_intent
    ]
    if not intents:
        raise CannotRefund(f"invoice {charge.reference} has no paid payment intent")
    intent = intents[0]
    made = client().v1.refunds.create(
        params={
            "payment_intent": intent if isinstance(intent, str) else intent.id,
            "amount": refund.amount_minor,
            "metadata": {"refund": str(refund.pk)},
        },
        options={"idempotency_key": f"refund:{refund.pk}"},
    )
    return made.id, refund_state(made.status)


def refund_state(status: str | None) -> str:
    """A refund's state here, by Stripe's word for it."""
    return STATES.get(status or "", status or Refund.State.PENDING)
