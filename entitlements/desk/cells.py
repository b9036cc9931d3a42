"""What stands in a table of the desk: words, copyable references, times and links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from catalog.templatetags.written import money
from entitlements.models import Purchase


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell, or one fact above a form. `code` is selected whole by one click."""

    text: str
    href: str = ""
    code: bool = False
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Link:
    """An action that a row allows, shown to who has its right."""

    title: str
    href: str
    right: str


def words(text: object) -> Cell:
    """Plain words."""
    return Cell(text=str(text))


def code(text: object, href: str = "") -> Cell:
    """A reference to be copied."""
    return Cell(text=str(text), code=True, href=href)


def when(moment: datetime | None) -> Cell:
    """A time in UTC, to the minute; a dash where there is none."""
    return Cell(text=f"{moment:%Y-%m-%d %H:%M}" if moment else "-", at=moment)


def amount(minor: int, currency: str) -> Cell:
    """Money, with the currency's letters beside its sign."""
    return Cell(text=f"{money(minor, currency)} {currency}")


def purchase_cells(purchase: Purchase | None) -> list[Cell]:
    """Whose it is, and the purchase's number."""
    if purchase is None:
        return [words("not known"), words("-")]
    return [words(purchase.entity), code(purchase.pk)]
