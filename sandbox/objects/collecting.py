"""Collecting an open invoice from the payment method that stands for its subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.objects.charging import charge, open_payment
from sandbox.objects.invoices import settle, subscription_of

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work


def collect(work: Work, invoice: Json) -> None:
    """Try to collect an open invoice now; one of zero is paid without a payment."""
    invoice["attempt_count"] += 1
    if invoice["amount_due"]:
        if not work.children("payment_intent", invoice["id"]):
            open_payment(work, invoice)
        charge(work, invoice, _payment_method(work, invoice))
    settle(work, invoice)


def _payment_method(work: Work, invoice: Json) -> Json:
    """Return the method to charge: the subscription's own, or else the customer's default."""
    subscription = subscription_of(work, invoice)
    return work.get("payment_method", subscription["default_payment_method"])
