"""Stripe's events, by type: who reads each. A type that is not here is of no concern."""

from __future__ import annotations

from collections.abc import Mapping

from entitlements.news import Reader
from entitlements.stripe.invoices import invoice_drafted, invoice_paid
from entitlements.stripe.reversals import charge_refunded, dispute_changed, refund_changed
from entitlements.stripe.settling import session_expired, session_failed, session_paid
from entitlements.stripe.subscriptions import payment_failed, subscription_changed

READERS: Mapping[str, Reader] = {
    "checkout.session.completed": session_paid,
    "checkout.session.async_payment_succeeded": session_paid,
    "checkout.session.async_payment_failed": session_failed,
    "checkout.session.expired": session_expired,
    "invoice.created": invoice_drafted,
    "invoice.paid": invoice_paid,
    "invoice.payment_failed": payment_failed,
    "customer.subscription.created": subscription_changed,
    "customer.subscription.updated": subscription_changed,
    "customer.subscription.deleted": subscription_changed,
    "refund.created": refund_changed,
    "refund.updated": refund_changed,
    "refund.failed": refund_changed,
    "charge.refunded": charge_refunded,
    "charge.dispute.created": dispute_changed,
    "charge.dispute.updated": dispute_changed,
    "charge.dispute.closed": dispute_changed,
    "charge.dispute.funds_withdrawn": dispute_changed,
    "charge.dispute.funds_reinstated": dispute_changed,
}
