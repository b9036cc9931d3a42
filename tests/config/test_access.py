"""Who may do what, at every address of the project. A new address needs a row to pass."""

from __future__ import annotations

from typing import Any

import pytest

from licensing.models import User
from tests.config.access import PEOPLE, STORE, routes, visit
from tests.people import make_user


@pytest.fixture
def staff(db: None) -> User:
    """Staff with every right, member of nothing."""
    user = make_user("sam@store.example", staff=True)
    user.is_superuser = True
    user.save()
    return user


@pytest.fixture
def stranger() -> None:
    """Nobody is signed in."""


def test_every_address_has_a_row() -> None:
    found = {route for route in routes() if not route.startswith("staff/")}
    assert found == set(STORE)


@pytest.mark.parametrize("person", PEOPLE)
def test_each_person_is_answered_as_the_row_says(
    person: str, addresses: dict[str, str], request: pytest.FixtureRequest
) -> None:
    user: Any = request.getfixturevalue(person)
    seen, meant = {}, {}
    for route, row in STORE.items():
        path = addresses[route]
        seen[route] = (visit(user, "GET", path), visit(user, "POST", path))
        place = PEOPLE.index(person)
        meant[route] = (row.get.split()[place], row.post.split()[place])
    assert seen == meant
