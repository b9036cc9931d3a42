"""What finance does to rows that are there: each once, with its reason, in one transaction.

Transfers and held money have modules of their own: entitlements/transfers.py and held.py.
"""

from __future__ import annotations

from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from entitlements.desk.log import DeskRefused, log_action
from entitlements.desk.reasons import why_not_releasable
from entitlements.entering import BANK
from entitlements.holding import place_hold
from entitlements.inbox import replay
from entitlements.models import Entitlement, Hold, Outbox, Payment, ProviderEvent, Refund
from entitlements.refunds import RefundRefused, record_refund, request_refund
from entitlements.transfers import lock_purchase
from licensing.models import User


def told_by(actor: User) -> str:
    """Who did it, as rows name it that have one field for people and programs."""
    return f"desk: {actor.email}"[:200]


@transaction.atomic
def refund_charge(
    *, charge: Payment, amount_minor: int | None, once: UUID, actor: User, why: str
) -> Refund:
    """Ask for a refund of a charge, None for all that is left; pressed twice, it is one.

    `once` is the refund's own id, chosen when the form was shown.
    """
    lock_purchase(charge.purchase)
    known = Refund.objects.filter(pk=once).first()
    if known is not None:
        return known
    try:
        wish = request_refund(
            charge=charge,
            amount_minor=amount_minor,
            why=why,
            requested_by=told_by(actor),
            pk=once,
        )
    except RefundRefused as refusal:
        raise DeskRefused(str(refusal)) from refusal
    log_action(
        actor=actor,
        action="refund",
        subject=f"purchase {charge.purchase_id}",
        why=why,
        details={
            "refund": str(wish.pk),
            "charge": charge.reference,
            "amount_minor": wish.amount_minor,
            "currency": charge.currency,
        },
    )
    return wish


@transaction.atomic
def mark_refund_sent(*, wish: Refund, reference: str, actor: User, why: str) -> Payment:
    """Enter a refund that finance sent by bank, under the bank's reference of it."""
    purchase = lock_purchase(wish.charge.purchase)
    wish.refresh_from_db()
    if wish.provider != BANK:
        raise DeskRefused("The provider itself says when this refund has succeeded.")
    if wish.state == Refund.State.SUCCEEDED:
        return Payment.objects.get(provider=BANK, reference=wish.reference)
    try:
        row = record_refund(
            charge=wish.charge,
            provider=BANK,
            reference=reference,
            amount_minor=wish.amount_minor,
            recorded_by=told_by(actor),
            note=wish.why,
            wish=wish,
        )
    except RefundRefused as refusal:
        raise DeskRefused(str(refusal)) from refusal
    wish.refresh_from_db()
    if wish.state != Refund.State.SUCCEEDED:
        raise DeskRefused(f"reference: {reference} is of another refund.")
    log_action(
        actor=actor,
        action="refund_sent",
        subject=f"purchase {purchase.pk}",
        why=why,
        details={"refund": str(wish.pk), "reference": reference},
    )
    return row


@transaction.atomic
def close_for_breach(*, entitlement: Entitlement, actor: User, why: str) -> Hold:
    """Close an entitlement, on every surface at once, for a breach of its licence."""
    purchase = lock_purchase(entitlement.purchase)
    known = Hold.objects.filter(
        entitlement=entitlement, reason=Hold.Reason.BREACH, released_at__isnull=True
    ).first()
    if known is not None:
        return known
    hold = place_hold(entitlement=entitlement, reason=Hold.Reason.BREACH, note=why)
    log_action(
        actor=actor,
        action="place_hold",
        subject=f"purchase {purchase.pk}",
        why=why,
        details={"hold": hold.pk, "reason": hold.reason},
    )
    return hold


@transaction.atomic
def release_hold(*, hold: Hold, actor: User, why: str) -> Hold:
    """Release a hold. Refused, by Postgres in the end, while the money is gone."""
    purchase = lock_purchase(hold.entitlement.purchase)
    row = Hold.objects.select_for_update(of=("self",)).get(pk=hold.pk)
    if row.released_at is not None:
        return row
    row.released_at = timezone.now()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            row.save(update_fields=["released_at"])
            # Asked now and not at the commit, so that the page can say what Postgres said.
            cursor.execute("SET CONSTRAINTS holds IMMEDIATE")
            cursor.execute("SET CONSTRAINTS holds DEFERRED")
    except IntegrityError as error:
        raise DeskRefused(why_not_releasable(hold) or str(error)) from error
    log_action(
        actor=actor,
        action="release_hold",
        subject=f"purchase {purchase.pk}",
        why=why,
        details={"hold": row.pk, "reason": row.reason},
    )
    return row


@transaction.atomic
def replay_event(*, event: ProviderEvent, actor: User, why: str) -> ProviderEvent:
    """Apply a stored event again; what it brought before comes no second time."""
    before = event.outcome
    after = replay(event)
    log_action(
        actor=actor,
        action="replay",
        subject=f"event {event.event_id}"[:120],
        why=why,
        details={"kind": event.kind, "before": before, "after": after},
    )
    event.refresh_from_db()
    return event


@transaction.atomic
def retry_dead_letter(*, letter: Outbox, actor: User, why: str) -> Outbox:
    """Let the worker try work again that failed ten times; its last error stays until then."""
    row = Outbox.objects.select_for_update(of=("self",)).get(pk=letter.pk)
    if row.done_at is not None or row.attempts < Outbox.MAX_ATTEMPTS:
        return row
    tried, row.attempts, row.due_at = row.attempts, 0, timezone.now()
    row.save(update_fields=["attempts", "due_at"])
    log_action(
        actor=actor,
        action="retry",
        subject=f"outbox {row.pk}",
        why=why,
        details={"kind": row.kind, "payload": row.payload, "attempts": tried},
    )
    return row
