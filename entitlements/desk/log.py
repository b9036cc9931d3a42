"""The log of the desk: who did what to what, and why. Rows are added and never change."""

from __future__ import annotations

from typing import Any

from entitlements.models import DeskAction
from entitlements.models.desk import MIN_WHY
from licensing.models import User


class DeskRefused(Exception):
    """Nothing was done; the message says why, and the way out."""


def log_action(
    *, actor: User, action: str, subject: str, why: str, details: dict[str, Any]
) -> DeskAction:
    """Write one action into the running transaction, so that none is done without its row.

    Raises DeskRefused for a reason that says nothing.
    """
    if len(why.strip()) < MIN_WHY:
        raise DeskRefused(f"why: say it in at least {MIN_WHY} characters.")
    return DeskAction.objects.create(
        actor=actor,
        actor_email=actor.email,
        action=action,
        subject=subject,
        why=why.strip(),
        details=details,
    )
