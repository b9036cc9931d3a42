"""What the sweep reads from Stripe, and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from entitlements.models import Purchase
from entitlements.stripe.reading import Object

PAGE = 100
FROM_LISTS = "By `manage.py reconcile --repair`, or the next sweep."
BY_HAND = "Nothing repairs it by itself: look at it in Stripe's dashboard and at the finance desk."


@dataclass(frozen=True, kw_only=True)
class Window:
    """How far back lists are read, and who is told of each object that was looked at."""

    since: datetime
    looked_at: Callable[[str], None]

    @property
    def created(self) -> Any:
        """The filter of Stripe's lists."""
        return {"gte": int(self.since.timestamp())}

    def each(self, kind: str, listed: Any) -> Iterator[Object]:
        """Every object of a list, page by page."""
        for one in listed.auto_paging_iter():
            self.looked_at(kind)
            yield one.to_dict()


def found(retrieve: Callable[[str], Any], reference: str) -> Object | None:
    """One object, or None where Stripe does not know it."""
    from stripe import InvalidRequestError  # see client.py

    try:
        answer: Object = retrieve(reference).to_dict()
    except InvalidRequestError as refusal:
        if refusal.code == "resource_missing":
            return None
        raise
    return answer


def purchase_of(reference: object) -> Purchase | None:
    """The purchase that an object names, if it is here."""
    try:
        return Purchase.objects.filter(pk=UUID(str(reference))).first()
    except ValueError:
        return None


def is_ours(reference: object) -> bool:
    """Whether an object names a purchase at all: the account may sell something else too."""
    try:
        UUID(str(reference))
    except ValueError:
        return False
    return True
