"""All state of the sandbox, in one SQLite file."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from sandbox import agenda
from sandbox.deliveries import enqueue
from sandbox.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    parent TEXT,
    body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS objects_kind ON objects (kind, seq);
CREATE INDEX IF NOT EXISTS objects_parent ON objects (parent, kind, seq);
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    request_id TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    created REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event TEXT NOT NULL REFERENCES objects (id),
    state TEXT NOT NULL CHECK (state IN ('pending', 'held', 'delivered', 'failed', 'lost')),
    due REAL NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    answer TEXT
);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (state, due, id);
CREATE TABLE IF NOT EXISTS controls (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_WAIT_SECONDS = 30


class Store:
    """Opens transactions on the file at `path`; `clock` returns real Unix seconds."""

    def __init__(
        self, path: Path, clock: Callable[[], float] = time.time, *, base_url: str = ""
    ) -> None:
        self.path = path
        self.base_url = base_url
        self.clock = clock
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connect()) as connection:
            connection.executescript("PRAGMA journal_mode = WAL;" + SCHEMA + agenda.SCHEMA)

    @contextmanager
    def transaction(self, *, request_id: str = "", key: str | None = None) -> Iterator[Work]:
        """Run one unit of work; its events are queued for delivery in the same transaction.

        Writers run one at a time (BEGIN IMMEDIATE), which is what makes a doubled request or a
        doubled click find what the first one did.
        """
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                work = Work(connection, self.clock(), request_id, key)
                work.base_url = self.base_url
                yield work
                enqueue(connection, work.emitted, now=work.real)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        connection.row_factory = sqlite3.Row
        return connection
