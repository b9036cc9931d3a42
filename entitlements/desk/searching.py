"""Search by what people have in hand: an id, an invoice's number, a reference, a company's name."""

from __future__ import annotations

import re
from uuid import UUID

from django.db.models import Q

PRO_FORMA = re.compile(r"(?:TP-)?0*([1-9]\d{0,17})", re.IGNORECASE)


def as_uuid(words: str) -> UUID | None:
    """The id that the words are, if they are one."""
    try:
        return UUID(words)
    except ValueError:
        return None


def as_pro_forma(words: str) -> int | None:
    """The number of the pro-forma invoice that the words name, if they name one."""
    found = PRO_FORMA.fullmatch(words)
    return int(found[1]) if found and words[:1] in "Tt" else None


def matching(words: str, *, purchase: str | None, fields: tuple[str, ...]) -> Q:
    """Rows whose purchase or one of whose fields the words name.

    `purchase` is the way to it from the row: "" for a purchase itself, None where there is none.
    """
    found = Q()
    for field in fields:
        found |= Q(**{f"{field}__icontains": words})
    if purchase is None:
        return found
    found |= Q(**{f"{purchase}entity__legal_name__icontains": words})
    found |= Q(**{f"{purchase}purchase_order__icontains": words})
    if (number := as_uuid(words)) is not None:
        found |= Q(**{f"{purchase}id": number})
    if (paper := as_pro_forma(words)) is not None:
        found |= Q(**{f"{purchase}pro_forma__number": paper})
    return found
