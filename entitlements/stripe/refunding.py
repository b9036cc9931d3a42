from __future__ import annotations

from typing import TYPE_CHECKING

from entitlements.models import Refund
from entitlements.stripe.client import client
from entitlements.stripe.reading import part

if TYPE_CHECKING:
    from stripe import Refund as StripeRefund


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
    intent = intents[0] if isinstance(intents[0], str) else intents[0].id
    if (before := _made_before(refund, intent)) is not None:
        return before.id, refund_state(before.status)
    made = client().v1.refunds.create(
        params={
            "payment_intent": intent,
            "amount": refund.amount_minor,
            "metadata": {"refund": str(refund.pk)},
        },
        options={"idempotency_key": f"refund:{refund.pk}"},
    )
    return made.id, refund_state(made.status)


def _made_before(refund: Refund, intent: str) -> StripeRefund | None:
    # Stripe forgets an idempotency key after a day; a dead letter may be sent again much later.
    listed = client().v1.refunds.list(params={"payment_intent": intent, "limit": 100})
    same = (each for each in listed.auto_paging_iter() if _is_of(each, refund))
    return next(same, None)


def _is_of(made: StripeRefund, refund: Refund) -> bool:
    return part(made.to_dict(), "metadata").get("refund") == str(refund.pk)


def refund_state(status: str | None) -> str:
    """A refund's state here, by Stripe's word for it."""
    return STATES.get(status or "", status or Refund.State.PENDING)
