"""Holds: what closes an entitlement while it is open, and who opened or released it."""

from __future__ import annotations

from django.utils import timezone

from entitlements.models import Entitlement, Hold


def place_hold(*, entitlement: Entitlement, reason: str, note: str) -> Hold:
    """Close an entitlement; one hold of a reason is open at a time."""
    hold, _ = Hold.objects.get_or_create(
        entitlement=entitlement, reason=reason, released_at=None, defaults={"note": note}
    )
    return hold


def release_holds(*, entitlement: Entitlement, reason: str) -> int:
    """Release what is open for a reason; returns how many were. Postgres refuses it at commit
    while the ledger or a dispute still says otherwise.
    """
    released = 0
    for hold in Hold.objects.select_for_update(of=("self",)).filter(
        entitlement=entitlement, reason=reason, released_at__isnull=True
    ):
        hold.released_at = timezone.now()
        hold.save(update_fields=["released_at"])
        released += 1
    return released
