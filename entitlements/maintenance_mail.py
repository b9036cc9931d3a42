"""Letters about maintenance: paid, not paid, cancelled, ended. Each may be sent twice."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.dateparse import parse_datetime

from entitlements.models import MaintenancePeriod, Purchase, Subscription
from entitlements.outbox import handles
from entitlements.subscribing import is_maintained, paid_until


@handles("maintenance_renewed")
def mail_renewal(payload: dict[str, Any]) -> None:
    """Tell the buyer until when maintenance is paid now."""
    period = MaintenancePeriod.objects.select_related("payment", "entitlement").get(
        pk=payload["period"]
    )
    _send(
        _purchase(period.entitlement.purchase_id),
        subject=f"Maintenance is paid until {period.ends_at:%Y-%m-%d}",
        template="maintenance_renewed",
        context={"period": period},
    )


@handles("maintenance_payment_failed")
def mail_failure(payload: dict[str, Any]) -> None:
    """Tell the buyer that a renewal was not collected, what stays open, and what to do."""
    purchase = _purchase(payload["purchase"])
    subscription = purchase.subscriptions.filter(reference=payload["subscription"]).first()
    again_at = parse_datetime(payload["again_at"]) if payload["again_at"] else None
    _send(
        purchase,
        subject="Maintenance could not be collected",
        template="maintenance_payment_failed",
        context={"subscription": subscription, "again_at": again_at},
    )


@handles("maintenance_cancelled")
def mail_cancellation(payload: dict[str, Any]) -> None:
    """Tell the buyer when maintenance ends, unless it was resumed before this is sent."""
    subscription = Subscription.objects.get(pk=payload["subscription"])
    if subscription.cancel_at is None:
        return
    _send(
        _purchase(subscription.purchase_id),
        subject=f"Maintenance ends on {subscription.cancel_at:%Y-%m-%d}",
        template="maintenance_cancelled",
        context={"subscription": subscription},
    )


@handles("maintenance_ended")
def mail_end(payload: dict[str, Any]) -> None:
    """Tell the buyer that maintenance has ended, unless another subscription goes on."""
    purchase = _purchase(Subscription.objects.get(pk=payload["subscription"]).purchase_id)
    if is_maintained(purchase):
        return
    _send(
        purchase,
        subject="Maintenance has ended",
        template="maintenance_ended",
        context={"paid_until": paid_until(purchase)},
    )


def _purchase(pk: Any) -> Purchase:
    return Purchase.objects.select_related("buyer", "entity", "package").get(pk=pk)


def _send(purchase: Purchase, *, subject: str, template: str, context: dict[str, Any]) -> None:
    if purchase.buyer is None:
        return
    context |= {"purchase": purchase, "site_url": settings.SITE_URL}
    send_mail(
        subject=subject,
        message=render_to_string(f"entitlements/mail/{template}.txt", context),
        from_email=None,
        recipient_list=[purchase.buyer.email],
    )
