"""The shop and its provider as they stood before an operation, brought back for each fault.

Rolling back is no way here: what is tried ends in another process. The database is a copy of a
template each time, the sandbox's file a copy of what was saved.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from tests.conftest import owner_settings


class Stage:
    """Saves both as they are now; `restore` brings them back, `close` leaves no copy behind."""

    def __init__(self, sandbox_data: Path) -> None:
        self._data, self._saved = sandbox_data, sandbox_data.with_suffix(".saved")
        self._original: str = connection.settings_dict["NAME"]
        self._copy = f"{self._original}_copy"
        _backup(self._data, self._saved)
        connection.close()

    def restore(self) -> None:
        """Bring both back to what was saved."""
        _backup(self._saved, self._data)
        self._use(self._original)
        with _owner() as owner:
            _drop(owner, self._copy)
            statement = "CREATE DATABASE {} TEMPLATE {}"
            owner.execute(_named(statement, self._copy, self._original))
        self._use(self._copy)

    def close(self) -> None:
        """Go back to the test's own database."""
        self._use(self._original)
        self._saved.unlink()
        with _owner() as owner:
            _drop(owner, self._copy)

    def _use(self, name: str) -> None:
        connection.close()
        connection.settings_dict["NAME"] = name


def _backup(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def _drop(owner: psycopg.Connection[Any], name: str) -> None:
    # Whoever was killed may still be on its way out of Postgres: it is waited for, not shot.
    owner.execute(_named("DROP DATABASE IF EXISTS {}", name))


def _named(statement: str, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))


def _owner() -> psycopg.Connection[Any]:
    wanted = connection.copy()
    owner_settings(wanted.settings_dict)
    wanted.settings_dict["NAME"] = "postgres"
    return psycopg.connect(**wanted.get_connection_params(), autocommit=True)
