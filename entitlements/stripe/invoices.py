"""From a paid invoice to the door: the first completes, each that follows renews."""

from __future__ import annotations

from datetime import datetime

from entitlements.completion import complete_purchase
from entitlements.entering import IncomingPayment, PaymentMismatch
from entitlements.news import Apply, News, OfNoConcern, TooEarly
from entitlements.outbox import enqueue_once
from entitlements.renewing import NotBought, renew_maintenance
from entitlements.stripe.client import PROVIDER
from entitlements.stripe.reading import (
    MAINTENANCE,
    Object,
    amount,
    moment,
    part,
    parts,
    purchase_named,
    text,
)

FIRST = "subscription_create"


def invoice_paid(news: News) -> Apply:
    """An invoice was paid, by whatever method, at once or at a later attempt."""
    return lambda: settle_invoice(news.subject, recorded_by=news.recorded_by)


def invoice_drafted(news: News) -> Apply:
    """A renewal is being made: while it is a draft it takes its own purchase-order number."""

    def apply() -> None:
        invoice = news.subject
        purchase = purchase_named(
            promised(invoice).get("purchase"), by=f"invoice {invoice.get('id')}"
        )
        if invoice.get("billing_reason") == FIRST or not purchase.purchase_order:
            raise OfNoConcern("it has its number, or none")
        enqueue_once("order_number", {"invoice": text(invoice, "id"), "purchase": str(purchase.pk)})

    return apply


def settle_invoice(invoice: Object, *, recorded_by: str) -> None:
    """Bring a paid invoice to the door of its purchase; a repeat changes nothing.

    Raises OfNoConcern, TooEarly and PaymentMismatch.
    """
    purchase = purchase_named(promised(invoice).get("purchase"), by=f"invoice {invoice.get('id')}")
    payment = payment_of(invoice, recorded_by=recorded_by)
    if payment.amount_minor == 0:
        raise OfNoConcern("nothing was to be paid")
    if is_first(invoice):
        complete_purchase(purchase=purchase, payment=payment)
        return
    starts_at, ends_at = period_of(invoice)
    try:
        renew_maintenance(purchase=purchase, payment=payment, starts_at=starts_at, ends_at=ends_at)
    except NotBought as early:
        raise TooEarly(str(early)) from early


def is_first(invoice: Object) -> bool:
    """Whether an invoice asks for the price too: the first, unless it only begins anew."""
    again = promised(invoice).get("purpose") == MAINTENANCE
    return invoice.get("billing_reason") == FIRST and not again


def promised(invoice: Object) -> Object:
    """The metadata that its subscription had when the invoice was made."""
    return part(invoice, "parent", "subscription_details", "metadata")


def subscription_of(invoice: Object) -> str:
    """The id of an invoice's subscription, or ""."""
    return text(part(invoice, "parent", "subscription_details"), "subscription")


def payment_of(invoice: Object, *, recorded_by: str) -> IncomingPayment:
    """The money that an invoice brought. Raises PaymentMismatch for what is no amount."""
    if not text(invoice, "id"):
        raise PaymentMismatch("the invoice has no id")
    return IncomingPayment(
        provider=PROVIDER,
        reference=text(invoice, "id"),
        amount_minor=amount(invoice, "amount_paid"),
        tax_minor=sum(amount(tax, "amount") for tax in parts(invoice, "total_taxes")),
        currency=text(invoice, "currency"),
        recorded_by=recorded_by,
    )


def period_of(invoice: Object) -> tuple[datetime | None, datetime | None]:
    """The span that an invoice pays: the widest of its recurring lines."""
    spans = [
        (moment(line["period"], "start"), moment(line["period"], "end"))
        for line in parts(invoice, "lines")
        if part(line, "parent").get("type") == "subscription_item_details" and part(line, "period")
    ]
    starts = [start for start, _ in spans if start]
    ends = [end for _, end in spans if end]
    return (min(starts), max(ends)) if starts and ends else (None, None)
