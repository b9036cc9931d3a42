"""What a charge says: of its invoice and payment method, and of how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.objects.instruments import BANK, CARD

if TYPE_CHECKING:
    from sandbox.shapes import Json

# The fields that a charge repeats of its payment method.
_DETAILS = {
    CARD: ("brand", "country", "exp_month", "exp_year", "funding", "last4"),
    BANK: ("account_holder_type", "account_type", "bank_name", "last4", "routing_number"),
}
_NETWORK = {CARD: {"network": "visa"}}


def shared(invoice: Json, intent: Json, payment_method: Json) -> Json:
    """Return the fields that every charge of an invoice has, whatever becomes of it."""
    kind = payment_method["type"]
    details = {name: payment_method[kind][name] for name in _DETAILS[kind]}
    return {
        "amount": invoice["amount_due"],
        "billing_details": {"email": invoice["customer_email"], "name": invoice["customer_name"]},
        "currency": invoice["currency"],
        "customer": invoice["customer"],
        "description": intent["description"],
        "metadata": {},
        "payment_intent": intent["id"],
        "payment_method": payment_method["id"],
        "payment_method_details": {"type": kind, kind: details | _NETWORK.get(kind, {})},
    }


def paid_fields(invoice: Json) -> Json:
    """Return the fields of a charge that paid an invoice."""
    return {
        "amount_captured": invoice["amount_due"],
        "captured": True,
        "outcome": {
            "network_status": "approved_by_network",
            "risk_level": "normal",
            "seller_message": "Payment complete.",
            "type": "authorized",
        },
        "paid": True,
        "status": "succeeded",
    }


DECLINED: dict[str, Json] = {
    CARD: {
        "failure_code": "card_declined",
        "failure_message": "Your card was declined.",
        "outcome": {
            "network_status": "declined_by_network",
            "reason": "generic_decline",
            "risk_level": "normal",
            "seller_message": "The bank did not return any further details with this decline.",
            "type": "issuer_declined",
        },
        "status": "failed",
    },
    BANK: {
        "failure_code": "account_closed",
        "failure_message": "The customer's bank account has been closed.",
        "status": "failed",
    },
}
