"""Maintenance goes on: money in, period out, in one transaction. The sibling of completion."""

from __future__ import annotations

from datetime import datetime

from dateutil.relativedelta import relativedelta
from django.db import transaction

from entitlements.entering import IncomingPayment, enter_charge, find_charge, require_exact
from entitlements.models import Entitlement, MaintenancePeriod, Purchase
from entitlements.outbox import enqueue


class NotBought(Exception):
    """The purchase is not paid (yet): there is nothing to maintain."""


@transaction.atomic
def renew_maintenance(
    *,
    purchase: Purchase,
    payment: IncomingPayment,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
) -> MaintenancePeriod:
    """Write payment, maintenance period and mail, or nothing.

    The period is the provider's where it names one; else it follows what is paid already, or
    begins with the payment after a gap. The same payment again returns its period. Raises
    NotBought and PaymentMismatch.
    """
    # Race: one invoice by two events at once. The second waits here, then finds its row.
    bought = Purchase.objects.select_for_update(of=("self",)).get(pk=purchase.pk)
    if bought.state != Purchase.State.PAID:
        raise NotBought(f"purchase {bought.pk} is not paid")
    entitlement = Entitlement.objects.get(purchase=bought)
    if (known := find_charge(purchase=bought, payment=payment)) is not None:
        return MaintenancePeriod.objects.get(payment=known)
    asked = payment.months * bought.maintenance_minor
    require_exact(purchase=bought, payment=payment, asked_minor=asked)
    row = enter_charge(purchase=bought, payment=payment)
    starts_at = starts_at or _follows(entitlement, row.received_at)
    period = MaintenancePeriod.objects.create(
        entitlement=entitlement,
        payment=row,
        starts_at=starts_at,
        ends_at=ends_at or starts_at + relativedelta(months=payment.months),
    )
    enqueue("maintenance_renewed", {"period": period.pk})
    return period


def _follows(entitlement: Entitlement, received_at: datetime) -> datetime:
    last = entitlement.maintenance_periods.order_by("ends_at").last()
    return max(received_at, last.ends_at) if last else received_at
