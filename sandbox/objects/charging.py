"""The payment of an open invoice: its intent, and one charge for each attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.objects.balance import enter
from sandbox.objects.charge_fields import DECLINED, paid_fields, shared
from sandbox.objects.instruments import BANK, CARD, works
from sandbox.shapes import Json, fill, new

if TYPE_CHECKING:
    from sandbox.work import Work

# A bank debit is heard of after some days.
DELAY_SECONDS = 4 * 86_400
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
        "payment_method_types": [CARD, BANK],
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


def charge(work: Work, invoice: Json, payment_method: Json) -> str:
    """Charge a payment method once; returns the status of the charge."""
    intent = intent_of(work, invoice)
    charged = new(stripe.Charge, work.now, shared(invoice, intent, payment_method))
    charged = work.add(charged | {"status": "pending"}, parent=intent["id"])
    if payment_method["type"] == BANK:
        return _wait(work, intent, charged)
    return conclude(work, invoice, paid=works(work, payment_method["id"]), charged=charged)


def conclude(work: Work, invoice: Json, *, paid: bool, charged: Json) -> str:
    """Let a pending charge succeed or fail, with its intent; returns its new status."""
    intent = intent_of(work, invoice)
    charged |= paid_fields(invoice) if paid else DECLINED[charged["payment_method_details"]["type"]]
    charged = fill(stripe.Charge, charged) | {"object": "charge"}
    if paid:
        entry = enter(work, "charge", amount=charged["amount"], source=charged, charge=charged)
        charged["balance_transaction"] = entry["id"]
    work.save(charged)
    if paid:
        work.emit("charge.succeeded", charged)
        _succeed(work, invoice, intent, charged)
    else:
        work.emit("charge.failed", charged)
        _fail(work, intent, charged)
    return str(charged["status"])


def intent_of(work: Work, invoice: Json) -> Json:
    """Return the payment intent of an invoice."""
    (intent,) = work.children("payment_intent", invoice["id"])
    return intent


def _wait(work: Work, intent: Json, charged: Json) -> str:
    method = charged["payment_method"]
    intent |= {"latest_charge": charged["id"], "payment_method": method, "status": "processing"}
    work.plan("payment.resolve", intent, at=work.now + DELAY_SECONDS)
    work.emit("charge.pending", charged)
    work.emit("payment_intent.processing", work.save(intent))
    return str(charged["status"])


def _fail(work: Work, intent: Json, charged: Json) -> None:
    error = {
        "charge": charged["id"],
        "code": charged["failure_code"],
        "decline_code": charged["outcome"] and charged["outcome"]["reason"],
        "message": charged["failure_message"],
        "payment_method": work.get("payment_method", charged["payment_method"]),
        "type": "card_error" if charged["outcome"] else "invalid_request_error",
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
