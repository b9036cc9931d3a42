"""The payment of an open invoice: its intent, and one charge for each attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.objects.instruments import works
from sandbox.shapes import Json, fill, new

if TYPE_CHECKING:
    from sandbox.work import Work

_REASONS = {
    "subscription_create": "Subscription creation",
    "subscription_cycle": "Subscription update",
}


def open_payment(work: Work, invoice: Json) -> Json:
    """Store the intent to pay an invoice, and the invoice payment that ties the two together."""
    amount = invoice["amount_due"]
    intent = {
        "amount": amount,
        "capture_method": "automatic",
        "confirmation_method": "automatic",
        "currency": invoice["currency"],
        "customer": invoice["customer"],
        "description": _REASONS[invoice["billing_reason"]],
        "metadata": {},
        "payment_method_types": ["card"],
        "setup_future_usage": "off_session",
        "status": "requires_payment_method",
    }
    intent = work.add(new(stripe.PaymentIntent, work.now, intent), parent=invoice["id"])
    payment = {
        "amount_requested": amount,
        "currency": invoice["currency"],
        "invoice": invoice["id"],
        "is_default": True,
        "payment": {"type": "payment_intent", "payment_intent": intent["id"]},
        "status": "open",
    }
    work.add(new(stripe.InvoicePayment, work.now, payment), parent=invoice["id"])
    work.emit("payment_intent.created", intent)
    return intent


def charge(work: Work, invoice: Json, payment_method: Json) -> bool:
    """Charge a payment method once, and say whether it paid."""
    (intent,) = work.children("payment_intent", invoice["id"])
    paid = works(work, payment_method["id"])
    values = _shared(invoice, intent, payment_method) | (_paid(invoice) if paid else _DECLINED)
    charged = work.add(new(stripe.Charge, work.now, values), parent=intent["id"])
    if paid:
        work.emit("charge.succeeded", charged)
        _succeed(work, invoice, intent, charged)
    else:
        work.emit("charge.failed", charged)
        _fail(work, intent, charged, payment_method)
    return paid


def _paid(invoice: Json) -> Json:
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


_DECLINED: Json = {
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
}


def _fail(work: Work, intent: Json, charged: Json, payment_method: Json) -> None:
    error = {
        "charge": charged["id"],
        "code": charged["failure_code"],
        "decline_code": charged["outcome"]["reason"],
        "message": charged["failure_message"],
        "payment_method": payment_method,
        "type": "card_error",
    }
    filled = fill(stripe.PaymentIntent, {"last_payment_error": error})
    intent |= {
        "last_payment_error": filled["last_payment_error"],
        "latest_charge": charged["id"],
        "payment_method": None,
        "status": "requires_payment_method",
    }
    work.emit("payment_intent.payment_failed", work.save(intent))


def _succeed(work: Work, invoice: Json, intent: Json, charged: Json) -> None:
    intent |= {
        "amount_received": invoice["amount_due"],
        "last_payment_error": None,
        "latest_charge": charged["id"],
        "payment_method": charged["payment_method"],
        "status": "succeeded",
    }
    work.emit("payment_intent.succeeded", work.save(intent))
    (payment,) = work.children("invoice_payment", invoice["id"])
    payment |= {"amount_paid": invoice["amount_due"], "status": "paid"}
    payment["status_transitions"]["paid_at"] = work.now
    work.emit("invoice_payment.paid", work.save(payment))


def _shared(invoice: Json, intent: Json, payment_method: Json) -> Json:
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


# The fields that a charge repeats of its payment method.
_DETAILS = {"card": ("brand", "country", "exp_month", "exp_year", "funding", "last4")}
_NETWORK = {"card": {"network": "visa"}}
