"""Who may spend an entity's money."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied

from licensing.access import entities_to_sign_for
from licensing.models import LicensedEntity, User


def may_pay(user: User, entity: LicensedEntity) -> bool:
    """Whether somebody may pay for an entity: who may bind it."""
    return entities_to_sign_for(user).filter(pk=entity.pk).exists()


def require_payer(user: User, entity: LicensedEntity) -> None:
    """Raise PermissionDenied, with the reason, for members who may not pay."""
    if not may_pay(user, entity):
        raise PermissionDenied(
            f"Owners and signers of {entity} pay for it. Ask one of them; nothing was charged."
        )
