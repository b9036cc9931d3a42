"""The queue of webhook deliveries and the behaviour that a test can ask of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from sandbox.errors import ApiError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

Mode = Literal["deliver", "hold", "lose", "duplicate", "delay", "reverse"]
MODES: tuple[Mode, ...] = get_args(Mode)
MAX_ATTEMPTS = 12
LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Behaviour:
    """What happens to new events; `seconds` counts for `delay` only."""

    mode: Mode = "deliver"
    seconds: float = 0.0


def read_behaviour(values: Any) -> Behaviour:
    """Read the behaviour from a control request; raises ApiError (400) that names the field."""
    if not isinstance(values, dict) or values.get("mode") not in MODES:
        raise ApiError(f"Invalid mode: must be one of {', '.join(MODES)}", param="mode")
    seconds = values.get("seconds", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        raise ApiError("Invalid seconds: must be a number that is not negative", param="seconds")
    return Behaviour(values["mode"], float(seconds))


def behaviour(connection: sqlite3.Connection) -> Behaviour:
    """Return the behaviour in force."""
    row = connection.execute("SELECT value FROM controls WHERE name = 'behaviour'").fetchone()
    return Behaviour(**json.loads(row["value"])) if row else Behaviour()


def set_behaviour(connection: sqlite3.Connection, wanted: Behaviour, *, now: float) -> None:
    """Change the behaviour; events held until now are queued again under the new one."""
    connection.execute(
        "INSERT OR REPLACE INTO controls (name, value) VALUES ('behaviour', ?)",
        (json.dumps(asdict(wanted)),),
    )
    if wanted.mode == "hold":
        return
    held = connection.execute("SELECT event FROM deliveries WHERE state = 'held' ORDER BY id")
    events = [row["event"] for row in held.fetchall()]
    connection.execute("DELETE FROM deliveries WHERE state = 'held'")
    enqueue(connection, events, now=now)


def enqueue(connection: sqlite3.Connection, events: Sequence[str], *, now: float) -> None:
    """Queue events (ids, oldest first) under the behaviour in force."""
    wanted = behaviour(connection)
    ordered = list(reversed(events)) if wanted.mode == "reverse" else list(events)
    times = 2 if wanted.mode == "duplicate" else 1
    state = {"hold": "held", "lose": "lost"}.get(wanted.mode, "pending")
    due = now + (wanted.seconds if wanted.mode == "delay" else 0)
    connection.executemany(
        "INSERT INTO deliveries (event, state, due) VALUES (?, ?, ?)",
        [(event, state, due) for event in ordered for _ in range(times)],
    )


def replay(connection: sqlite3.Connection, event: str, *, now: float) -> None:
    """Queue one event once more, whatever the behaviour in force."""
    connection.execute(
        "INSERT INTO deliveries (event, state, due) VALUES (?, 'pending', ?)", (event, now)
    )


def next_due(connection: sqlite3.Connection, *, now: float) -> sqlite3.Row | None:
    """Return the delivery to send next, if one is due."""
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM deliveries WHERE state = 'pending' AND due <= ? ORDER BY due, id LIMIT 1",
        (now,),
    ).fetchone()
    return row


def record(
    connection: sqlite3.Connection, delivery: sqlite3.Row, *, answer: str, ok: bool, now: float
) -> None:
    """Note the outcome of one attempt; a failed one is due again after a doubling pause."""
    attempts = delivery["attempts"] + 1
    state = "delivered" if ok else "failed" if attempts >= MAX_ATTEMPTS else "pending"
    due = delivery["due"] if ok else now + min(2.0 ** (attempts - 1), LONGEST_PAUSE)
    connection.execute(
        "UPDATE deliveries SET state = ?, due = ?, attempts = ?, answer = ? WHERE id = ?",
        (state, due, attempts, answer, delivery["id"]),
    )


def listing(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return every delivery, the newest first, with the type of its event."""
    rows = connection.execute(
        "SELECT d.*, json_extract(o.body, '$.type') AS type"
        " FROM deliveries d JOIN objects o ON o.id = d.event ORDER BY d.id DESC"
    )
    return [dict(row) for row in rows]
