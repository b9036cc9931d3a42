"""The suite's own promise: a test asks as the application's role, whatever ran before it."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.threads import at_once


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time", ["before a clean-up", "after one"])
def test_every_connection_is_the_applications(time: str) -> None:
    seen: list[str] = []

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            seen.extend(cursor.fetchone())

    ask()
    connection.close()
    ask()
    assert at_once(ask) == []
    assert seen == ["touchstone_app"] * 3
