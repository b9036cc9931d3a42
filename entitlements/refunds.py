from __future__ import annotations

from django.core.exceptions import ValidationError
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
    amount_minor: int | None,
    recorded_by: str,
    note: str = "",
) -> Payment:
    """Enter a refund that has succeeded; `amount_minor` is positive, None for all that is left.

    When less stays with us than one full payment for the purchase asks, nothing is taken
    away; when nothing stays, access ends at once on every surface. The same reference again
    returns the row it made. Raises RefundRefused.
    """
    purchase = Purchase.objects.select_for_update(of=("self",)).get(pk=purchase.pk)
    known = Payment.objects.filter(provider=provider, reference=reference).first()
    if known is not None:
        _require_same(known, purchase, amount_minor)
        return known
    kept = kept_minor(purchase)
    amount_minor = kept if amount_minor is None else amount_minor
    _require_left(amount_minor, kept, purchase.currency)
    row = Payment(
        purchase=purchase,
        kind=Payment.Kind.REFUND,
        provider=provider,
        reference=reference,
        amount_minor=-amount_minor,
        currency=purchase.currency,
        recorded_by=recorded_by,
    )
    _require_storable(row)
    row.save()
    if amount_minor == kept:
        Hold.objects.get_or_create(
            entitlement=Entitlement.objects.get(purchase=purchase),
            reason=Hold.Reason.REFUND,
            released_at=None,
            defaults={"note": note or f"refunded in full, {provider} {reference}"},
        )
    return row


def _require_storable(row: Payment) -> None:
    try:
        row.clean_fields(exclude={"purchase"})
    except ValidationError as error:
        reasons = [f"{field}: {' '.join(said)}" for field, said in error.message_dict.items()]
        raise RefundRefused("; ".join(reasons)) from None


def _require_same(known: Payment, purchase: Purchase, amount_minor: int | None) -> None:
    same_amount = amount_minor is None or known.amount_minor == -amount_minor
    of_this_purchase = known.purchase_id == purchase.pk and known.kind == Payment.Kind.REFUND
    if not (of_this_purchase and same_amount):
        raise RefundRefused(
            f"reference: {known.reference} is a {known.kind} of {known.amount_minor} "
            f"{known.currency} (minor units) of purchase {known.purchase_id}"
        )


def _require_left(amount_minor: int, kept: int, currency: str) -> None:
    if kept == 0:
        raise RefundRefused("amount: nothing is left to refund")
    if not 0 < amount_minor <= kept:
        raise RefundRefused(f"amount: between 1 and {kept} minor units of {currency} are left")


def kept_minor(purchase: Purchase) -> int:
    """What stays with us of a purchase's payments, in minor units."""
    return purchase.payments.aggregate(kept=Sum("amount_minor"))["kept"] or 0
