"""Test cards, and the payment objects that one successful charge leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import stripe

from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

PAYING, DECLINED = "4242424242424242", "4000000000000002"
_EXPIRY_MONTH = 12


class CardRefusedError(Exception):
    """The card does not pay; the message is for the person at the page."""


@dataclass(frozen=True)
class Card:
    """A test card that pays."""

    last4: str
    exp_year: int

    def details(self) -> Json:
        """Return the fields that card objects share."""
        return {
            "brand": "visa",
            "country": "US",
            "exp_month": _EXPIRY_MONTH,
            "exp_year": self.exp_year,
            "funding": "credit",
            "last4": self.last4,
        }


def read_card(number: str, *, now: int) -> Card:
    """Return the card behind a typed number; raises CardRefusedError with the reason."""
    digits = "".join(number.split()).replace("-", "")
    if digits == DECLINED:
        raise CardRefusedError("Your card was declined. Try another card.")
    if digits != PAYING:
        raise CardRefusedError(
            "The sandbox knows two cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 declines."
        )
    return Card(last4=digits[-4:], exp_year=datetime.fromtimestamp(now, UTC).year + 5)


def add_payment_method(work: Work, customer: Json, card: Card) -> Json:
    """Return the card as the customer's stored payment method."""
    values = {
        "billing_details": {"email": customer["email"], "name": customer["name"]},
        "card": card.details() | {"display_brand": "visa"},
        "customer": customer["id"],
        "metadata": {},
        "type": "card",
    }
    return work.add(new(stripe.PaymentMethod, work.now, values))


def pay_invoice(work: Work, *, invoice: Json, payment_method: Json, card: Card) -> None:
    """Store the payment intent, its charge, and the invoice payment that ties them together."""
    shared = {
        "amount": invoice["amount_due"],
        "currency": invoice["currency"],
        "customer": invoice["customer"],
        "description": "Subscription creation",
        "metadata": {},
        "payment_method": payment_method["id"],
        "status": "succeeded",
    }
    intent = new(stripe.PaymentIntent, work.now, shared | _intent_fields(invoice))
    charge = new(stripe.Charge, work.now, shared | _charge_fields(invoice, intent, card))
    intent["latest_charge"] = charge["id"]
    work.emit("charge.succeeded", work.add(charge, parent=intent["id"]))
    work.emit("payment_intent.succeeded", work.add(intent, parent=invoice["id"]))
    payment = new(stripe.InvoicePayment, work.now, _invoice_payment_fields(work, invoice, intent))
    work.add(payment, parent=invoice["id"])
    work.emit("invoice_payment.paid", payment)


def _intent_fields(invoice: Json) -> Json:
    return {
        "amount_received": invoice["amount_due"],
        "capture_method": "automatic",
        "confirmation_method": "automatic",
        "payment_method_types": ["card"],
        "setup_future_usage": "off_session",
    }


def _charge_fields(invoice: Json, intent: Json, card: Card) -> Json:
    return {
        "amount_captured": invoice["amount_due"],
        "billing_details": {"email": invoice["customer_email"], "name": invoice["customer_name"]},
        "captured": True,
        "outcome": {
            "network_status": "approved_by_network",
            "risk_level": "normal",
            "seller_message": "Payment complete.",
            "type": "authorized",
        },
        "paid": True,
        "payment_intent": intent["id"],
        "payment_method_details": {"type": "card", "card": card.details() | {"network": "visa"}},
    }


def _invoice_payment_fields(work: Work, invoice: Json, intent: Json) -> Json:
    return {
        "amount_paid": invoice["amount_due"],
        "amount_requested": invoice["amount_due"],
        "currency": invoice["currency"],
        "invoice": invoice["id"],
        "is_default": True,
        "payment": {"type": "payment_intent", "payment_intent": intent["id"]},
        "status": "paid",
        "status_transitions": {"paid_at": work.now},
    }
