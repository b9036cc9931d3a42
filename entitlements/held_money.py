"""Money that fits no purchase: kept as a row for finance, opening nothing."""

from __future__ import annotations

from django.utils import timezone

from entitlements.entering import PaymentMismatch
from entitlements.models import HeldPayment


def hold_payment(mismatch: PaymentMismatch) -> HeldPayment | None:
    """Keep money that was refused for finance; the same reference again returns its row.

    None when the refusal names no money that could be sent back.
    """
    money = mismatch.payment
    if money is None or len(money.currency) != 3:
        return None
    held, _ = HeldPayment.objects.get_or_create(
        provider=money.provider,
        reference=money.reference,
        defaults={
            "purchase": mismatch.purchase,
            "amount_minor": money.amount_minor,
            "currency": money.currency.upper(),
            "received_at": money.received_at or timezone.now(),
            "reason": str(mismatch),
            "recorded_by": money.recorded_by,
        },
    )
    return held
