"""What each action of the desk shows before the click, and does after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from entitlements.desk.cells import Cell
from entitlements.desk.forms import WhyForm
from licensing.models import User

Fact = tuple[str, Cell]


@dataclass(frozen=True, kw_only=True)
class ActionPage:
    """An action's page. `find` gives its row by its id; an action without one begins with none.

    `foresee` says in sentences what the click will do; it and `act` raise DeskRefused. `act`
    returns what was done, in words.
    """

    name: str
    title: str
    button: str
    right: str
    form: type[WhyForm]
    back: str
    find: Callable[[str], Any] | None
    facts: Callable[[Any], list[Fact]]
    foresee: Callable[[Any, dict[str, Any]], list[str]]
    act: Callable[[Any, dict[str, Any], User], str]


def finder(rows: Callable[[], Any]) -> Callable[[str], Model | None]:
    """Finds a row by the address's last part; None for what is no id of one."""

    def find(pk: str) -> Model | None:
        key = rows().model._meta.pk
        try:
            value = key.to_python(pk)
        except Exception as error:
            if type(error).__name__ != "ValidationError":
                raise
            return None
        found: Model | None = rows().filter(pk=value).first()
        return found

    return find
