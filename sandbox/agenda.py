"""What the sandbox has to do later, by its own clock: one row for each object and action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS agenda (
    object TEXT NOT NULL,
    action TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (object, action)
);
CREATE INDEX IF NOT EXISTS agenda_at ON agenda (at, object);
"""


@dataclass(frozen=True)
class Entry:
    """One thing that is due `at` (Unix seconds)."""

    at: int
    action: str
    object: str


def plan(connection: sqlite3.Connection, action: str, identifier: str, *, at: int) -> None:
    """Do `action` with an object at a time; an earlier plan for the same is replaced."""
    connection.execute(
        "INSERT OR REPLACE INTO agenda (object, action, at) VALUES (?, ?, ?)",
        (identifier, action, at),
    )


def drop(connection: sqlite3.Connection, identifier: str) -> None:
    """Forget everything that was planned for an object."""
    connection.execute("DELETE FROM agenda WHERE object = ?", (identifier,))


def take(connection: sqlite3.Connection, *, until: float) -> Entry | None:
    """Remove and return the earliest entry, if it is due by `until`."""
    row = connection.execute(
        "SELECT at, action, object FROM agenda WHERE at <= ? ORDER BY at, rowid LIMIT 1", (until,)
    ).fetchone()
    if row is None:
        return None
    entry = Entry(**dict(row))
    connection.execute(
        "DELETE FROM agenda WHERE object = ? AND action = ?", (entry.object, entry.action)
    )
    return entry


def upcoming(connection: sqlite3.Connection, *, most: int) -> list[dict[str, Any]]:
    """Return the next entries, the earliest first."""
    rows = connection.execute(
        "SELECT at, action, object FROM agenda ORDER BY at, rowid LIMIT ?", (most,)
    )
    return [dict(row) for row in rows]
