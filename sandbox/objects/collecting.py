"""Collecting an open invoice from the payment method that stands for its subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.calls import Call
from sandbox.errors import ApiError, CardDeclined, not_simulated
from sandbox.objects import dunning, invoices
from sandbox.objects.charging import charge, open_payment
from sandbox.objects.instruments import owned

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work


def collect(
    work: Work, invoice: Json, *, scheduled: bool = True, payment_method: Json | None = None
) -> bool:
    """Try to collect an open invoice now, and say whether it is paid.

    One of zero is paid without a payment. What was not `scheduled` was asked for by hand.
    """
    if invoice["amount_due"]:
        if not work.children("payment_intent", invoice["id"]):
            open_payment(work, invoice)
        method = payment_method or _payment_method(work, invoice)
        if method is None or not charge(work, invoice, method):
            dunning.failed(work, invoice, scheduled=scheduled)
            return False
    if scheduled or not invoice["attempt_count"]:
        invoice["attempt_count"] += 1
    invoices.settle(work, invoice)
    dunning.recovered(work, invoice)
    return True


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
    given = params.get("payment_method")
    method = given and owned(work, given, invoice["customer"], param="payment_method")
    if not collect(work, invoice, scheduled=False, payment_method=method):
        raise CardDeclined
    return work.get("invoice", call.id)


def _payment_method(work: Work, invoice: Json) -> Json | None:
    """Return the method to charge: the subscription's own, or else the customer's default."""
    own = invoices.subscription_of(work, invoice)["default_payment_method"]
    settings = work.get("customer", invoice["customer"])["invoice_settings"]
    chosen = own or settings["default_payment_method"]
    return work.get("payment_method", chosen) if chosen else None
