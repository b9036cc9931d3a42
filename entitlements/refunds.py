from __future__ import annotations

from django.db import transaction
from django.db.models import Sum

from entitlements.models import Entitlement, Hold, Payment, Purchase


class RefundRefused(Exception):
    """The refund cannot be recorded; the message says why."""


@transaction.atomic
def record_refund(
    *,
    purchase: Purchase,
    provider: str,
    reference: str,
    amount_minor: int,
    recorded_by: str,
    note: str = "",
) -> Payment:
    """Enter a refund that has succeeded; `amount_minor` is positive, in minor units.

    When less stays with us than one full payment for the purchase asks, nothing is taken
    away; when nothing stays, access ends at once on every surface. The same reference again
    returns the row it made. Raises RefundRefused.
    """
    purchase = Purchase.objects.select_for_update(of=("self",)).get(pk=purchase.pk)
    known = Payment.objects.filter(provider=provider, reference=reference).first()
    if known is not None:
        return known
    kept = kept_minor(purchase)
    if not 0 < amount_minor <= kept:
        raise RefundRefused(
            f"amount: between 1 and {kept} minor units of {purchase.currency} can be refunded"
        )
    row = Payment.objects.create(
        purchase=purchase,
        kind=Payment.Kind.REFUND,
        provider=provider,
        reference=reference,
        amount_minor=-amount_minor,
        currency=purchase.currency,
        recorded_by=recorded_by,
    )
    if amount_minor == kept:
        Hold.objects.get_or_create(
            entitlement=Entitlement.objects.get(purchase=purchase),
            reason=Hold.Reason.REFUND,
            released_at=None,
            defaults={"note": note or f"refunded in full, {provider} {reference}"},
        )
    return row


def kept_minor(purchase: Purchase) -> int:
    """What stays with us of a purchase's payments, in minor units."""
    return purchase.payments.aggregate(kept=Sum("amount_minor"))["kept"] or 0
