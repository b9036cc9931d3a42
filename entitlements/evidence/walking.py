"""Walking a table row by row in constant memory, until the first row that does not hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Exists, ForeignKey, Model, OuterRef
from touchstone.errors import TouchstoneError

from catalog.storing import KitDamaged
from licensing.models import User

if TYPE_CHECKING:
    from django.db.models import QuerySet

# Rows of the server-side cursor that are held at a time: a signature carries its whole text.
CHUNK = 100


class EvidenceBroken(Exception):
    """A row does not hold; the message names its table, its key and what is wrong."""

    def __init__(self, *, table: str, key: object, what: str) -> None:
        super().__init__(f"{table} {key}: {what}")
        self.table, self.key, self.what = table, key, what


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table, its rows in the order in which they are walked, and what each is asked."""

    rows: QuerySet[Any]
    problems: Callable[[Any], Iterator[str]]
    chunk: int = CHUNK

    @property
    def name(self) -> str:
        return str(self.rows.model._meta.db_table)


@dataclass(kw_only=True)
class Telling:
    """Says how far a long walk has come, every `interval` seconds."""

    say: Callable[[str], object]
    interval: float
    _said: float = field(default_factory=time.monotonic)

    def at(self, table: str, done: int, total: int) -> None:
        """Say it, if it is time to."""
        if time.monotonic() - self._said >= self.interval:
            self._said = time.monotonic()
            self.say(f"{table}: {done} of {total}")


def walk(table: Table, telling: Telling) -> int:
    """Ask every row; returns how many there were. Raises EvidenceBroken."""
    done, total = 0, table.rows.count()
    for row in table.rows.iterator(chunk_size=table.chunk):
        what = _first_problem(table, row)
        if what is not None:
            raise EvidenceBroken(table=table.name, key=row.pk, what=what)
        done += 1
        telling.at(table.name, done, total)
    return done


def require_targets(model: type[Model]) -> None:
    """Ask that whatever a table's rows point to is there. Raises EvidenceBroken.

    A join leaves out a row whose other side is gone, so this comes before the walk. Accounts may
    be deleted, and evidence names them by number.
    """
    for each in model._meta.concrete_fields:
        if not isinstance(each, ForeignKey) or each.related_model is User:
            continue
        target = Exists(each.related_model._base_manager.filter(pk=OuterRef(each.attname)))
        rows = model._base_manager.filter(**{f"{each.attname}__isnull": False})
        lost = rows.filter(~target).order_by("pk").values_list("pk", each.attname).first()
        if lost is not None:
            raise EvidenceBroken(
                table=model._meta.db_table, key=lost[0], what=f"its {each.name} {lost[1]} is gone"
            )


def _first_problem(table: Table, row: Model) -> str | None:
    try:
        return next(table.problems(row), None)
    except (TouchstoneError, KitDamaged, ObjectDoesNotExist, ValueError, LookupError) as error:
        # Whatever a changed row does to its reader is a reason to name the row.
        return (str(error) or type(error).__name__).splitlines()[0]
