"""How an entity is named: by its owner, for signatures that are still to come."""

from __future__ import annotations

from dataclasses import asdict

from django.db import transaction

from licensing.models import LicensedEntity, User
from licensing.party_locks import lock_entity, require_owner
from licensing.signing import EntityDetails


@transaction.atomic
def change_details(
    *, account: User, entity: LicensedEntity, details: EntityDetails
) -> LicensedEntity:
    """Name the entity anew, as an owner. Raises PartyRefused.

    What was signed keeps the name, number and address of its day.
    """
    changed = lock_entity(entity)
    require_owner(account, changed)
    named = asdict(details)
    for field, value in named.items():
        setattr(changed, field, value)
    changed.save(update_fields=list(named))
    return changed
