"""The lists of the desk: which rows, in which words, and what each row allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from entitlements.desk.cells import Cell, Link

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True, kw_only=True)
class DeskList:
    """A page of rows. `waiting` narrows them to those that somebody must look at."""

    name: str
    title: str
    says: str
    columns: tuple[str, ...]
    rows: Callable[[], QuerySet[Any]]
    waiting: Callable[[QuerySet[Any]], QuerySet[Any]] | None
    cells: Callable[[Any], list[Cell]]
    links: Callable[[Any], list[Link]]
    fields: tuple[str, ...]
    purchase: str | None

    @property
    def href(self) -> str:
        """The page's address."""
        return reverse("finance_list", args=[self.name])

    @property
    def narrows(self) -> bool:
        """Whether some of its rows wait and others are done. For templates, which would call it."""
        return self.waiting is not None

    def count(self) -> int:
        """How many rows wait for somebody; of a list that nothing waits in, all."""
        return (self.waiting(self.rows()) if self.waiting else self.rows()).count()


def action_link(title: str, action: str, pk: object, right: str) -> Link:
    """The link to an action on a row."""
    return Link(title=title, href=reverse("finance_action", args=[action, pk]), right=right)


def no_links(row: object) -> list[Link]:
    """Nothing is done to these rows."""
    return []
