"""The places of an operation where something can break: statements, commits, calls of the provider.

Each is a point before it and a point after it. A run without an action counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.db import connection
from stripe import HTTPClient

Strike = Callable[[str], None]


class Points:
    """Passes the points of an operation by; at one of them it strikes."""

    def __init__(self, *, at: int | None = None, strike: Strike | None = None) -> None:
        self.passed: list[str] = []
        self._at, self._strike = at, strike

    def around(self, name: str, action: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Do an action with a point on either side of it."""
        self._pass(f"before {name}")
        answer = action(*given, **named)
        self._pass(f"after {name}")
        return answer

    def _pass(self, name: str) -> None:
        self.passed.append(name)
        if self._strike is not None and len(self.passed) - 1 == self._at:
            self._strike(name)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Have everything in the block pass by here."""

        def statement(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
            words = " ".join(str(sql).split())[:70]
            return self.around(words, execute, sql, params, many, context)

        def committed() -> None:
            self.around("COMMIT", commit)

        wrapper: Any = connection  # its stub leaves out the method that commits
        commit, request = wrapper._commit, HTTPClient.request_with_retries

        def call(http: HTTPClient, method: str, url: str, *given: Any, **named: Any) -> Any:
            return self.around(f"{method} {url}", request, http, method, url, *given, **named)

        with (
            connection.execute_wrapper(statement),
            mock.patch.object(connection, "_commit", committed),
            mock.patch.object(HTTPClient, "request_with_retries", call),
        ):
            yield
