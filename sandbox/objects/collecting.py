"""Collecting an open invoice from the payment method that stands for its subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.calls import Call
from sandbox.errors import ApiError, CardDeclined, not_simulated
from sandbox.objects import dunning, invoices
from sandbox.objects.charging import charge, conclude, open_payment
from sandbox.objects.completing import tell_session
from sandbox.objects.instruments import owned, works

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work


def collect(
    work: Work, invoice: Json, *, scheduled: bool = True, payment_method: Json | None = None
) -> str:
    """Try to collect an open invoice now; returns the status of the charge.

    One of zero is paid without a charge. What was not `scheduled` was asked for by hand.
    """
    status = _charge(work, invoice, payment_method) if invoice["amount_due"] else "succeeded"
    if status == "pending":
        work.forget_plans(invoice)
        work.save(invoice | {"attempted": True, "next_payment_attempt": None})
    else:
        _conclude(work, invoice, paid=status == "succeeded", scheduled=scheduled)
    return status


def resolve(work: Work, intent_id: str, *, paid: bool | None = None) -> None:
    """Conclude a payment that was processing, as its account behaves or as it is told."""
    intent = work.get("payment_intent", intent_id)
    if intent["status"] != "processing":
        return
    work.forget_plans(intent)
    (payment,) = work.where("invoice_payment", "payment.payment_intent", intent_id)
    invoice = work.get("invoice", payment["invoice"])
    paid = works(work, intent["payment_method"]) if paid is None else paid
    conclude(work, invoice, paid=paid, charged=work.get("charge", intent["latest_charge"]))
    _conclude(work, invoice, paid=paid, scheduled=True)
    tell_session(work, invoice, paid=paid)


def _charge(work: Work, invoice: Json, given: Json | None) -> str:
    if not work.children("payment_intent", invoice["id"]):
        open_payment(work, invoice)
    method = given or _payment_method(work, invoice)
    return charge(work, invoice, method) if method else "failed"


def _conclude(work: Work, invoice: Json, *, paid: bool, scheduled: bool) -> None:
    if not paid:
        dunning.failed(work, invoice, scheduled=scheduled)
        return
    if scheduled or not invoice["attempt_count"]:
        invoice["attempt_count"] += 1
    invoices.settle(work, invoice)
    dunning.recovered(work, invoice)


def retry(work: Work, invoice_id: str) -> None:
    """Try an open invoice again, by the clock."""
    invoice = work.get("invoice", invoice_id)
    if invoice["status"] == "open":
        collect(work, invoice)


def pay(call: Call) -> Json:
    """POST /v1/invoices/{id}/pay: a declined card is 402, and its failed attempt is kept."""
    work, params = call.work, call.params
    for name in params:
        if name not in ("payment_method", "off_session", "expand"):
            raise not_simulated(name)
    invoice = work.get("invoice", call.id)
    if invoice["status"] == "draft":
        work.forget_plans(invoice)
        invoices.finalize(work, invoice)
    if invoice["status"] == "paid":
        raise ApiError("Invoice is already paid", code="invoice_already_paid")
    if invoice["status"] != "open":
        raise ApiError(f"The invoice is {invoice['status']} and cannot be paid.")
    if any(i["status"] == "processing" for i in work.children("payment_intent", invoice["id"])):
        raise ApiError("The payment of this invoice is processing and cannot be tried again now.")
    given = params.get("payment_method")
    method = given and owned(work, given, invoice["customer"], param="payment_method")
    if collect(work, invoice, scheduled=False, payment_method=method) == "failed":
        raise CardDeclined
    return work.get("invoice", call.id)


def _payment_method(work: Work, invoice: Json) -> Json | None:
    """Return the method to charge: the subscription's own, or else the customer's default."""
    own = invoices.subscription_of(work, invoice)["default_payment_method"]
    settings = work.get("customer", invoice["customer"])["invoice_settings"]
    chosen = own or settings["default_payment_method"]
    return work.get("payment_method", chosen) if chosen else None
