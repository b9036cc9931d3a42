"""One unit of work: the objects it reads and writes, and the events it emits."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import stripe

from sandbox import agenda
from sandbox.errors import no_such
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


class Work:
    """Reads and writes objects inside one transaction."""

    def __init__(
        self, connection: sqlite3.Connection, real: float, request_id: str, key: str | None
    ) -> None:
        self.connection = connection
        self.real = real  # when things are sent; `time` is when they happen
        self.time = real + self.setting("clock", 0.0)
        self.base_url = ""
        self.emitted: list[str] = []
        self._request = {"id": request_id or None, "idempotency_key": key}

    @property
    def now(self) -> int:
        """Return the sandbox's time in whole seconds, as objects carry it."""
        return int(self.time)

    def move_to(self, time: float) -> None:
        """Move the sandbox's clock forward to a time; an earlier one changes nothing."""
        self.set("clock", max(self.setting("clock", 0.0), time - self.real))

    def setting(self, name: str, default: Any) -> Any:
        """Return what a control has set."""
        row = self.connection.execute(
            "SELECT value FROM controls WHERE name = ?", (name,)
        ).fetchone()
        return json.loads(row["value"]) if row else default

    def set(self, name: str, value: Any) -> None:
        """Keep what a control sets."""
        self.connection.execute(
            "INSERT OR REPLACE INTO controls (name, value) VALUES (?, ?)",
            (name, json.dumps(value)),
        )

    def plan(self, action: str, obj: Json, *, at: int) -> None:
        """Have `sandbox.clock` do something with an object later."""
        agenda.plan(self.connection, action, obj["id"], at=at)

    def forget_plans(self, obj: Json) -> None:
        """Do nothing more with an object by the clock."""
        agenda.drop(self.connection, obj["id"])

    def add(self, obj: Json, *, parent: str | None = None) -> Json:
        """Store a new object, under the object `parent` if it belongs to one."""
        self.connection.execute(
            "INSERT INTO objects (id, kind, parent, body) VALUES (?, ?, ?, ?)",
            (obj["id"], obj["object"], parent, json.dumps(obj)),
        )
        return obj

    def save(self, obj: Json) -> Json:
        """Store the new state of an object."""
        self.connection.execute(
            "UPDATE objects SET body = ? WHERE id = ?", (json.dumps(obj), obj["id"])
        )
        return obj

    def remove(self, obj: Json) -> None:
        """Forget an object; events that told of it keep what they said."""
        self.connection.execute("DELETE FROM objects WHERE id = ?", (obj["id"],))

    def find(self, identifier: str) -> Json | None:
        """Return the object with this id, or None."""
        row = self.connection.execute(
            "SELECT body FROM objects WHERE id = ?", (identifier,)
        ).fetchone()
        return json.loads(row["body"]) if row else None

    def get(self, kind: str, identifier: str, *, param: str | None = None) -> Json:
        """Return the object of this kind.

        Raises ApiError `resource_missing`: 404 for the id in the address, 400 if `param` named it.
        """
        obj = self.find(identifier)
        if obj is None or obj["object"] != kind:
            raise no_such(kind, identifier, param or "id", status=400 if param else 404)
        return obj

    def newest(self, kind: str) -> list[Json]:
        """Return all objects of a kind, the newest first: the order of Stripe's lists."""
        rows = self.connection.execute(
            "SELECT body FROM objects WHERE kind = ? ORDER BY seq DESC", (kind,)
        )
        return [json.loads(row["body"]) for row in rows]

    def children(self, kind: str, parent: str) -> list[Json]:
        """Return the objects that belong to `parent`, in the order they were made."""
        rows = self.connection.execute(
            "SELECT body FROM objects WHERE parent = ? AND kind = ? ORDER BY seq", (parent, kind)
        )
        return [json.loads(row["body"]) for row in rows]

    def where(self, kind: str, field: str, value: str) -> list[Json]:
        """Return the objects of a kind whose field has this value, in the order they were made."""
        rows = self.connection.execute(
            "SELECT body FROM objects WHERE kind = ? AND json_extract(body, ?) = ? ORDER BY seq",
            (kind, f"$.{field}", value),
        )
        return [json.loads(row["body"]) for row in rows]

    def emit(self, event_type: str, obj: Json, previous: Json | None = None) -> None:
        """Record an event with the object as it is now; `previous` holds what an update changed."""
        data = {"object": obj} | ({"previous_attributes": previous} if previous else {})
        values = {
            "api_version": stripe.api_version,
            "data": json.loads(json.dumps(data)),
            "pending_webhooks": 1,
            "request": self._request,
            "type": event_type,
        }
        event = new(stripe.Event, self.now, values)
        event["data"] = values["data"]
        self.emitted.append(self.add(event)["id"])

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Undo what the block did if it raises, and keep the transaction open."""
        queued = len(self.emitted)
        self.connection.execute("SAVEPOINT attempt")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK TO attempt")
            del self.emitted[queued:]
            raise
        finally:
            self.connection.execute("RELEASE attempt")
