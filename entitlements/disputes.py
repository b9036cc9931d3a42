"""Disputes: open, an entitlement is closed; won, it opens again; lost, what it paid for is over."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from entitlements.holding import place_hold, release_holds
from entitlements.models import Dispute, Entitlement, Hold, Payment, Purchase
from entitlements.outbox import enqueue_once

State = Dispute.State
TAKES = (State.OPEN, State.LOST, State.WON)
DECIDED = (State.LOST, State.WON)


@transaction.atomic
def track_dispute(
    *,
    charge: Payment,
    provider: str,
    reference: str,
    amount_minor: int,
    state: str,
    opened_at: datetime,
    as_of: datetime,
    recorded_by: str,
    reason: str = "",
) -> Dispute:
    """Enter what a provider says of a dispute; a repeat or an older word changes nothing.

    An inquiry that took no money closes nothing. A dispute about a renewal closes everything
    while it is open, and only that period when it is lost.
    """
    # Race: two events of one dispute at once. The second waits here.
    purchase = Purchase.objects.select_for_update(of=("self",)).get(pk=charge.purchase_id)
    dispute, new = Dispute.objects.get_or_create(
        provider=provider,
        reference=reference,
        defaults={
            "charge": charge,
            "amount_minor": amount_minor,
            "state": state,
            "reason": reason[:80],
            "opened_at": opened_at,
            "as_of": as_of,
        },
    )
    if not new and _is_older(dispute, state, as_of):
        return dispute
    dispute.state, dispute.as_of = state, as_of
    dispute.closed_at = as_of if state in DECIDED else None
    dispute.save(update_fields=["state", "as_of", "closed_at"])
    if state in TAKES:
        _enter(dispute, Payment.Kind.DISPUTE, reference, -amount_minor, recorded_by)
    if state == State.WON:
        _enter(dispute, Payment.Kind.DISPUTE_WON, f"{reference}:won", amount_minor, recorded_by)
    _close_or_open(purchase, dispute)
    return dispute


def _is_older(dispute: Dispute, state: str, as_of: datetime) -> bool:
    # A provider's clock has whole seconds. Of two words of one second the decision is the later.
    decided, undecided = dispute.state in DECIDED, state not in DECIDED
    return as_of < dispute.as_of or (as_of == dispute.as_of and decided and undecided)


def _enter(dispute: Dispute, kind: str, reference: str, amount: int, by: str) -> None:
    charge = dispute.charge
    Payment.objects.get_or_create(
        provider=dispute.provider,
        reference=reference,
        defaults={
            "purchase_id": charge.purchase_id,
            "charge": charge,
            "kind": kind,
            "amount_minor": amount,
            "currency": charge.currency,
            "recorded_by": by,
            "received_at": timezone.now(),
        },
    )


def _close_or_open(purchase: Purchase, dispute: Dispute) -> None:
    entitlement = Entitlement.objects.get(purchase=purchase)
    disputes = Dispute.objects.filter(charge__purchase=purchase)
    closing = disputes.filter(state=State.OPEN) | disputes.filter(
        state=State.LOST, charge=entitlement.payment_id
    )
    if closing.exists():
        note = f"{dispute.provider} {dispute.reference}: {dispute.reason or 'disputed'}"
        hold = place_hold(entitlement=entitlement, reason=Hold.Reason.DISPUTE, note=note)
        if closing.filter(state=State.LOST).exists():
            enqueue_once("end_subscriptions", {"hold": hold.pk})
    else:
        release_holds(entitlement=entitlement, reason=Hold.Reason.DISPUTE)
