"""Stripe's events, by type: who reads each. A type that is not here is of no concern."""

from __future__ import annotations

from collections.abc import Mapping

from entitlements.news import Reader
from entitlements.stripe.invoices import invoice_paid
from entitlements.stripe.settling import session_paid

READERS: Mapping[str, Reader] = {
    "checkout.session.completed": session_paid,
    "checkout.session.async_payment_succeeded": session_paid,
    "invoice.paid": invoice_paid,
}
