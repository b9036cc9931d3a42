"""From a payment intent, of which refunds and disputes speak, to the charge in our ledger."""

from __future__ import annotations

from collections.abc import Callable

from entitlements.models import Payment
from entitlements.news import OfNoConcern, TooEarly
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.invoices import promised
from entitlements.stripe.reading import Object, parts, purchase_named, text

Find = Callable[[], Payment]


def charge_behind(reversal: Object) -> Find:
    """Ask Stripe which invoice a refund's or dispute's intent paid; what comes back finds our row.

    Raises OfNoConcern, StripeNotConfigured, StripeError; what it returns raises TooEarly.
    """
    intent = text(reversal, "payment_intent") or _intent_of(text(reversal, "charge"))
    if not intent:
        raise OfNoConcern("it is about no payment intent")
    invoices = invoices_paid_by(intent)
    if not invoices:
        raise OfNoConcern("it is about no invoice")
    return lambda: find_charge_of(invoices[0])


def invoices_paid_by(intent: str) -> list[Object]:
    """The invoices that a payment intent paid, in full."""
    found = client().v1.invoice_payments.list(
        params={
            "payment": {"type": "payment_intent", "payment_intent": intent},
            "expand": ["data.invoice"],
        }
    )
    paid = parts(found.to_dict(), "data")
    return [each["invoice"] for each in paid if isinstance(each.get("invoice"), dict)]


def find_charge_of(invoice: Object) -> Payment:
    """Our row of what an invoice brought. Raises OfNoConcern for an invoice of something else,
    and TooEarly for one that is ours and not entered yet.
    """
    reference = text(invoice, "id")
    row = Payment.objects.filter(provider=PROVIDER, reference=reference).first()
    if row is None:
        purchase_named(promised(invoice).get("purchase"), by=f"invoice {reference}")
        raise TooEarly(f"invoice {reference} is not in the ledger yet")
    return row


def _intent_of(charge: str) -> str:
    if not charge:
        return ""
    return text(client().v1.charges.retrieve(charge).to_dict(), "payment_intent")
