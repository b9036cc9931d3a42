"""Standing orders for maintenance, as a provider tells them: active, failed, cancelled, ended."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from entitlements.doors import paid_periods
from entitlements.models import Purchase, Subscription
from entitlements.outbox import enqueue

Status = Subscription.Status


@transaction.atomic
def track_subscription(
    *,
    purchase: Purchase,
    provider: str,
    reference: str,
    status: str,
    as_of: datetime,
    cancel_at: datetime | None = None,
    period_starts_at: datetime | None = None,
    period_ends_at: datetime | None = None,
) -> Subscription:
    """Enter what a provider says of a subscription, and tell the buyer what changed for them.

    A repeat or an older word changes nothing, and what has ended stays so. While a payment has
    failed, grace runs from the end of what is paid.
    """
    # Race: two events of one subscription at once. The second waits here.
    Purchase.objects.select_for_update(of=("self",)).get(pk=purchase.pk)
    known = Subscription.objects.filter(provider=provider, reference=reference).first()
    # A provider's clock has whole seconds: words of one second are taken as they come.
    if known is not None and (known.status == Status.CANCELED or as_of < known.as_of):
        return known
    before = (known.status, known.cancel_at) if known else (Status.ACTIVE, None)
    row = known or Subscription(purchase=purchase, provider=provider, reference=reference)
    row.status, row.as_of, row.period_ends_at = status, as_of, period_ends_at
    row.cancel_at = None if status == Status.CANCELED else cancel_at
    row.grace_until = None
    if status == Status.PAST_DUE:
        row.grace_until = _grace(purchase, unpaid_since=period_starts_at or as_of)
    row.save()
    _tell(row, before)
    return row


def is_maintained(purchase: Purchase) -> bool:
    """Whether a subscription of a purchase goes on, paid or not yet."""
    return purchase.subscriptions.exclude(status=Status.CANCELED).exists()


def paid_until(purchase: Purchase) -> datetime | None:
    """When the last maintenance period ends whose money is still here."""
    last = paid_periods().filter(entitlement__purchase=purchase).order_by("ends_at").last()
    return last.ends_at if last else None


def _grace(purchase: Purchase, *, unpaid_since: datetime) -> datetime:
    ends = max(unpaid_since, paid_until(purchase) or unpaid_since)
    return ends + timedelta(days=settings.MAINTENANCE_GRACE_DAYS)


def _tell(row: Subscription, before: tuple[str, datetime | None]) -> None:
    status, cancel_at = before
    if row.status == Status.CANCELED != status:
        enqueue("maintenance_ended", {"subscription": row.pk})
    elif row.cancel_at and not cancel_at:
        enqueue("maintenance_cancelled", {"subscription": row.pk})
