"""Held money and its two ways out: applied when the sum is exact, or sent back."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from entitlements.desk.log import log_action
from entitlements.entering import BANK, IncomingPayment
from entitlements.models import HeldPayment, Payment, Purchase
from entitlements.transfers import TransferRefused, enter_transfer, lock_purchase, why_held
from licensing.models import User

Resolution = HeldPayment.Resolution
JOIN = " + "
LONGEST_JOINED = 120


def why_not_applicable(*, held: Collection[HeldPayment], purchase: Purchase) -> str:
    """Why these transfers together would not open the purchase; "" when they would."""
    if not held:
        return "Choose at least one held transfer."
    if any(row.provider != BANK for row in held):
        return "Only bank transfers are applied; money at a card provider is sent back there."
    if any(row.resolution for row in held):
        return "One of them was applied or sent back already."
    if len({row.currency for row in held}) != 1:
        return "They are in different currencies."
    if len(joined_reference(held)) > LONGEST_JOINED:
        return "Too many for one entry of the ledger: send some back."
    currency = next(iter(held)).currency
    return why_held(
        purchase=purchase, amount_minor=sum(row.amount_minor for row in held), currency=currency
    )


def joined_reference(held: Collection[HeldPayment]) -> str:
    """The reference of one charge that several transfers brought: all of theirs."""
    return JOIN.join(sorted(row.reference for row in held))


@transaction.atomic
def apply_held(
    *, held: Collection[UUID], purchase: Purchase, recorded_by: str, actor: User, why: str
) -> Payment:
    """Enter held transfers as one charge of a purchase, when together they are what it asks.

    The charge names all their references and came with the last. Applied again, it comes
    back. Raises TransferRefused and DeskRefused.
    """
    bought = lock_purchase(purchase)
    # Race: one is sent back while it is applied. Rows in one order, after the purchase's.
    rows = list(
        HeldPayment.objects.select_for_update(of=("self",)).filter(pk__in=held).order_by("pk")
    )
    if rows and all(row.resolution == Resolution.APPLIED for row in rows):
        known = Payment.objects.filter(
            provider=BANK, reference=joined_reference(rows), purchase=bought
        ).first()
        if known is not None:
            return known
    problem = why_not_applicable(held=rows, purchase=bought)
    if problem:
        raise TransferRefused(problem)
    charge = enter_transfer(
        purchase=bought,
        payment=IncomingPayment(
            provider=BANK,
            reference=joined_reference(rows),
            amount_minor=sum(row.amount_minor for row in rows),
            currency=rows[0].currency,
            recorded_by=recorded_by,
            received_at=max(row.received_at for row in rows),
        ),
    )
    for row in rows:
        row.purchase = bought
        _resolve(row, Resolution.APPLIED, recorded_by)
    log_action(
        actor=actor,
        action="apply_held",
        subject=f"purchase {bought.pk}",
        why=why,
        details={
            "reference": charge.reference,
            "amount_minor": charge.amount_minor,
            "currency": charge.currency,
            "held": [str(row.pk) for row in rows],
        },
    )
    return charge


@transaction.atomic
def return_held(
    *, held: HeldPayment, reference: str, recorded_by: str, actor: User, why: str
) -> HeldPayment:
    """Say that held money was sent back, under the reference of its return.

    Said again, nothing changes. Raises TransferRefused for what was applied, and DeskRefused.
    """
    row = HeldPayment.objects.select_for_update(of=("self",)).get(pk=held.pk)
    if row.resolution == Resolution.RETURNED:
        return row
    if row.resolution == Resolution.APPLIED:
        raise TransferRefused(
            "It was applied to a purchase: refund the charge of that purchase instead."
        )
    _resolve(row, Resolution.RETURNED, recorded_by)
    log_action(
        actor=actor,
        action="return_held",
        subject=f"purchase {row.purchase_id}" if row.purchase_id else f"held payment {row.pk}",
        why=why,
        details={
            "held": str(row.pk),
            "held_reference": row.reference,
            "amount_minor": row.amount_minor,
            "currency": row.currency,
            "sent_back_as": reference,
        },
    )
    return row


def _resolve(row: HeldPayment, resolution: str, by: str) -> None:
    row.resolution, row.resolved_at, row.resolved_by = resolution, timezone.now(), by
    row.save(update_fields=["purchase", "resolution", "resolved_at", "resolved_by"])
