"""Which of their entities a person acts for now. The session remembers the choice, no more."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest

from licensing.access import current_user, entities_of
from licensing.models import LicensedEntity

KEY = "acting_entity"


def act_for(request: HttpRequest, entity: LicensedEntity) -> None:
    """Act for this entity until another is chosen. The caller has checked the membership."""
    request.session[KEY] = str(entity.pk)


def acting_entity(
    request: HttpRequest, entities: Sequence[LicensedEntity] | None = None
) -> LicensedEntity | None:
    """The chosen entity, or the first by name; None for who is in none.

    The membership is looked up each time, so a choice gives no right by itself.
    """
    mine = list(entities_of(current_user(request)) if entities is None else entities)
    chosen = request.session.get(KEY)
    return next((each for each in mine if str(each.pk) == chosen), mine[0] if mine else None)
