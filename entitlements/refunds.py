"""Refunds: asked for here or at the provider, in the ledger once they succeeded.

A full refund of the payment that brought an entitlement closes it at once, on every surface. One
that is pending or failed takes nothing away; one that came back opens it again.
"""

from __future__ import annotations

from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from entitlements.entering import kept_minor
from entitlements.holding import place_hold, release_holds
from entitlements.models import Entitlement, Hold, Payment, Purchase, Refund
from entitlements.outbox import enqueue, enqueue_once

State = Refund.State
ON_THE_WAY = (State.WANTED, State.PENDING)
# What a state may still become. A word that came late, from before, changes nothing.
NEXT: dict[str, tuple[str, ...]] = {
    State.WANTED: (State.PENDING, State.SUCCEEDED, State.FAILED, State.CANCELED),
    State.PENDING: (State.SUCCEEDED, State.FAILED, State.CANCELED),
    State.SUCCEEDED: (State.FAILED,),
}


class RefundRefused(Exception):
    """The refund cannot be recorded; the message names the field and says why."""


@transaction.atomic
def request_refund(
    *,
    charge: Payment,
    why: str,
    requested_by: str,
    amount_minor: int | None = None,
    pk: UUID | None = None,
) -> Refund:
    """Ask for a refund, None for all that is left; the outbox takes it to the provider.

    A bank has no interface: finance sends that money by hand and then records it. Asked again
    with the `pk` of a refund, it comes back. Raises RefundRefused for more than is left beside
    the refunds that are on their way.
    """
    _lock(charge)
    if pk is not None and (known := Refund.objects.filter(pk=pk, charge=charge).first()):
        return known
    on_the_way = charge.refunds.filter(state__in=ON_THE_WAY).aggregate(sum=Sum("amount_minor"))
    left = kept_minor(charge) - (on_the_way["sum"] or 0)
    amount_minor = left if amount_minor is None else amount_minor
    _require_left(amount_minor, left, charge.currency)
    wish = Refund.objects.create(
        pk=pk or uuid4(),
        charge=charge,
        provider=charge.provider,
        amount_minor=amount_minor,
        why=why,
        requested_by=requested_by,
    )
    enqueue("refund", {"refund": str(wish.pk)})
    return wish


@transaction.atomic
def track_refund(
    *,
    charge: Payment,
    provider: str,
    reference: str,
    amount_minor: int,
    state: str,
    recorded_by: str,
    wish: Refund | None = None,
    why: str = "",
) -> Refund:
    """Enter what a provider says of a refund, whoever asked for it; a repeat changes nothing.

    `amount_minor` is positive. `wish` is the refund that we asked for, when it is known.
    Raises RefundRefused.
    """
    purchase = _lock(charge)
    known = Refund.objects.filter(provider=provider, reference=reference).first() or wish
    if known is None:
        known = _from_elsewhere(charge, provider, reference, amount_minor, recorded_by, why)
    if (known.charge_id, known.amount_minor) != (charge.pk, amount_minor):
        raise RefundRefused(
            f"reference: {reference} is a refund of {known.amount_minor} {charge.currency} "
            f"(minor units) of payment {known.charge_id}"
        )
    if state not in NEXT.get(known.state, ()):
        return known
    if state == State.SUCCEEDED:
        _enter(charge, Payment.Kind.REFUND, provider, reference, -amount_minor, recorded_by)
    elif known.state == State.SUCCEEDED:
        back = f"{reference}:failed"
        _enter(charge, Payment.Kind.REFUND_FAILED, provider, back, amount_minor, recorded_by)
    known.state, known.provider, known.reference = state, provider, reference
    known.settled_at = None if state == State.PENDING else timezone.now()
    known.save(update_fields=["state", "provider", "reference", "settled_at"])
    _close_or_open(purchase, note=why or f"refunded in full, {provider} {reference}")
    return known


def record_refund(
    *,
    charge: Payment,
    provider: str,
    reference: str,
    amount_minor: int | None,
    recorded_by: str,
    note: str = "",
    wish: Refund | None = None,
) -> Payment:
    """Enter a refund that has succeeded; None for all that is left. Returns the ledger's row.

    The same reference again returns the row it made. Raises RefundRefused.
    """
    with transaction.atomic():
        _lock(charge)
        row = Payment.objects.filter(provider=provider, reference=reference).first()
        if row is not None:
            _require_same(row, charge, amount_minor)
            return row
        left = kept_minor(charge)
        amount_minor = left if amount_minor is None else amount_minor
        _require_left(amount_minor, left, charge.currency)
        track_refund(
            charge=charge,
            provider=provider,
            reference=reference,
            amount_minor=amount_minor,
            state=State.SUCCEEDED,
            recorded_by=recorded_by,
            wish=wish,
            why=note,
        )
        return Payment.objects.get(provider=provider, reference=reference)


def _lock(charge: Payment) -> Purchase:
    # Race: two refunds of one charge at once. The second waits here, then sees the first.
    return Purchase.objects.select_for_update(of=("self",)).get(pk=charge.purchase_id)


def _from_elsewhere(
    charge: Payment, provider: str, reference: str, amount_minor: int, by: str, why: str
) -> Refund:
    made = Refund(
        charge=charge,
        provider=provider,
        reference=reference,
        amount_minor=amount_minor,
        why=why,
        requested_by=by,
    )
    _require_storable(made)
    made.save()
    return made


def _enter(
    charge: Payment, kind: str, provider: str, reference: str, amount: int, by: str
) -> Payment:
    row = Payment(
        purchase_id=charge.purchase_id,
        charge=charge,
        kind=kind,
        provider=provider,
        reference=reference,
        amount_minor=amount,
        currency=charge.currency,
        recorded_by=by,
    )
    _require_storable(row)
    row.save()
    return row


def _close_or_open(purchase: Purchase, *, note: str) -> None:
    entitlement = Entitlement.objects.select_related("payment").get(purchase=purchase)
    if refunded_minor(entitlement.payment) >= entitlement.payment.amount_minor:
        hold = place_hold(entitlement=entitlement, reason=Hold.Reason.REFUND, note=note)
        enqueue_once("end_subscriptions", {"hold": hold.pk})
    else:
        release_holds(entitlement=entitlement, reason=Hold.Reason.REFUND)


def refunded_minor(charge: Payment) -> int:
    """What went back of a charge by refunds alone, in minor units."""
    kinds = (Payment.Kind.REFUND, Payment.Kind.REFUND_FAILED)
    moved = charge.moves.filter(kind__in=kinds).aggregate(sum=Sum("amount_minor"))
    return -(moved["sum"] or 0)


def _require_storable(row: Payment | Refund) -> None:
    try:
        row.clean_fields(exclude={"purchase", "charge"})
    except ValidationError as error:
        reasons = [f"{field}: {' '.join(said)}" for field, said in error.message_dict.items()]
        raise RefundRefused("; ".join(reasons)) from None


def _require_same(known: Payment, charge: Payment, amount_minor: int | None) -> None:
    same_amount = amount_minor is None or known.amount_minor == -amount_minor
    of_this_charge = known.charge_id == charge.pk and known.kind == Payment.Kind.REFUND
    if not (of_this_charge and same_amount):
        raise RefundRefused(
            f"reference: {known.reference} is a {known.kind} of {known.amount_minor} "
            f"{known.currency} (minor units) of purchase {known.purchase_id}"
        )


def _require_left(amount_minor: int, left: int, currency: str) -> None:
    if left <= 0:
        raise RefundRefused("amount: nothing is left to refund")
    if not 0 < amount_minor <= left:
        raise RefundRefused(f"amount: between 1 and {left} minor units of {currency} are left")
