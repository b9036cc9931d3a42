"""Paid invoices and the charges of our ledger."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from entitlements.difference import Difference
from entitlements.entering import PaymentMismatch
from entitlements.held_money import hold_payment
from entitlements.models import HeldPayment, Payment
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.invoices import payment_of, promised, settle_invoice
from entitlements.stripe.reading import Object, text
from entitlements.stripe.sweep.reading import BY_HAND, FROM_LISTS, PAGE, Window, found, is_ours

BY = "sweep"


def compare_invoices(window: Window) -> Iterator[Difference]:
    """What was paid and is not in the ledger, and what is in it and was not paid."""
    invoices = client().v1.invoices
    seen: dict[str, Object] = {}
    listed = invoices.list(params={"status": "paid", "created": window.created, "limit": PAGE})
    # From the oldest on: a renewal follows the purchase that it renews.
    for invoice in reversed(list(window.each("invoices", listed))):
        seen[text(invoice, "id")] = invoice
        if is_ours(promised(invoice).get("purchase")) and invoice.get("amount_paid"):
            yield from _at_stripe(invoice)
    rows = Payment.objects.filter(
        provider=PROVIDER, kind=Payment.Kind.CHARGE, received_at__gte=window.since
    )
    for row in rows.order_by("received_at"):
        window.looked_at("payments")
        yield from _in_ledger(
            row, seen.get(row.reference) or found(invoices.retrieve, row.reference)
        )


def _at_stripe(invoice: Object) -> Iterator[Difference]:
    reference = text(invoice, "id")
    subject = f"invoice {reference}"
    held = HeldPayment.objects.filter(provider=PROVIDER, reference=reference).first()
    if held is not None:
        if held.resolution == HeldPayment.Resolution.OPEN:
            yield Difference(
                subject=subject,
                said=f"it was paid and opens nothing: {held.reason}",
                way_out="Finance applies it or sends it back: /staff/.",
            )
        return
    if not Payment.objects.filter(provider=PROVIDER, reference=reference).exists():
        yield Difference(
            subject=subject,
            said=f"paid, {invoice.get('amount_paid')} {invoice.get('currency')} (minor units), "
            "and not in the ledger",
            way_out=FROM_LISTS,
            repair=partial(_settle, invoice),
        )


def _settle(invoice: Object) -> None:
    try:
        settle_invoice(invoice, recorded_by=BY)
    except PaymentMismatch as mismatch:
        hold_payment(mismatch)


def _in_ledger(row: Payment, invoice: Object | None) -> Iterator[Difference]:
    subject = f"payment {row.pk} ({row.reference})"
    if invoice is None:
        yield Difference(
            subject=subject, said="in the ledger, and unknown to Stripe", way_out=BY_HAND
        )
        return
    if text(invoice, "status") != "paid":
        said = f"in the ledger, and {invoice.get('status')} at Stripe"
        yield Difference(subject=subject, said=said, way_out=BY_HAND)
        return
    brought = payment_of(invoice, recorded_by=BY)
    ours = (row.amount_minor, row.tax_minor, row.currency)
    theirs = (brought.amount_minor, brought.tax_minor, brought.currency.upper())
    if ours != theirs or promised(invoice).get("purchase") not in (None, str(row.purchase_id)):
        said = f"the ledger says {ours} of purchase {row.purchase_id}, Stripe {theirs}"
        yield Difference(subject=subject, said=said, way_out=BY_HAND)
