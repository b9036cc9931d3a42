"""The shop and its provider as they stood before an operation, brought back for each fault.

Rolling back is no way here: what is tried ends in another process. The rows of the money's
tables are put back by the owner, with the triggers that forbid it asleep; nobody else could.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.db import connection
from psycopg import sql

from tests.conftest import owner_settings

# Ours, last of all: waiting for the disk keeps no promise here.
QUICK = "SET LOCAL synchronous_commit = off"
NEW_RECEIPTS = "DELETE FROM receipts_receipt WHERE kind = 'buyer' AND NOT id = ANY(%s)"


class Stage:
    """Saves both as they are now; `restore` brings them back."""

    def __init__(self, sandbox_data: Path) -> None:
        self._data, self._saved = sandbox_data, sandbox_data.with_suffix(".saved")
        _backup(self._data, self._saved)
        with _owner() as owner:
            self._tables = _tables()
            self._rows = {table: _dump(owner, table) for table in self._tables}
            found = owner.execute("SELECT id FROM receipts_receipt WHERE kind = 'buyer'")
            self._receipts = [row[0] for row in found]
            self._sleep, self._wake = _triggers(owner, [*self._tables, "receipts_receipt"])

    def restore(self) -> None:
        """Bring both back to what was saved."""
        _backup(self._saved, self._data)
        connection.close()
        with _owner() as owner, owner.transaction():
            owner.execute(QUICK)
            owner.execute(self._sleep)
            for table in reversed(self._tables):
                owner.execute(_named("DELETE FROM {}", table))
            owner.execute(NEW_RECEIPTS, [self._receipts])
            for table, rows in self._rows.items():
                with owner.cursor().copy(_named("COPY {} FROM STDIN", table)) as copy:
                    copy.write(rows)
            # Foreign keys look now: a table with a check to come cannot be altered.
            owner.execute("SET CONSTRAINTS ALL IMMEDIATE")
            owner.execute(self._wake)


def _backup(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def _tables() -> list[str]:
    """The tables of the money, each behind those that it points at."""
    models = set(apps.get_app_config("entitlements").get_models())
    needs = {
        model._meta.db_table: {
            other._meta.db_table
            for other in models - {model}
            if any(field.related_model is other for field in model._meta.concrete_fields)
        }
        for model in models
    }
    return list(TopologicalSorter(needs).static_order())


def _dump(owner: psycopg.Connection[Any], table: str) -> bytes:
    with owner.cursor().copy(_named("COPY {} TO STDOUT", table)) as copy:
        return b"".join(map(bytes, copy))


def _triggers(owner: psycopg.Connection[Any], tables: list[str]) -> tuple[sql.Composed, ...]:
    """The statements that let our own triggers of some tables sleep, and wake as they were."""
    found = owner.execute(
        "SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger"
        " WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY(%s) ORDER BY 1, 2",
        [tables],
    ).fetchall()
    woken = {"A": "ENABLE ALWAYS", "O": "ENABLE"}
    sleep = [_named("ALTER TABLE {} DISABLE TRIGGER USER;", table) for table in tables]
    wake = [
        _named(f"ALTER TABLE {{}} {woken[state]} TRIGGER {{}};", table, name)
        for table, name, state in found
    ]
    return sql.Composed(sleep), sql.Composed(wake)


def _named(statement: str, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))


def _owner() -> psycopg.Connection[Any]:
    wanted = connection.copy()
    owner_settings(wanted.settings_dict)
    return psycopg.connect(**wanted.get_connection_params(), autocommit=True)
