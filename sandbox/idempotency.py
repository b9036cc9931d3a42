"""Idempotency keys: the same request again gets the first answer again."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sandbox.errors import ApiError, answer_of
from sandbox.web import Response, json_response

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from sandbox.shapes import Json
    from sandbox.work import Work

KEPT_SECONDS = 24 * 3600
LONGEST_KEY = 255


def fingerprint(path: str, values: Json) -> str:
    """Return a digest of what a request asks."""
    text = json.dumps([path, values], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def once(work: Work, key: str, asked: str, request_id: str, act: Callable[[], Json]) -> Response:
    """Run `act`, or return the stored answer to this key.

    Like Stripe, keep refusals that came after the params were accepted, and drop keys after a day.
    Raises ApiError (400, `idempotency_error`) when the key was used for another request.
    """
    if len(key) > LONGEST_KEY:
        raise ApiError(f"Idempotency keys can have up to {LONGEST_KEY} characters.")
    earlier = _find(work, key)
    if earlier is not None:
        return _replay(earlier, key, asked)
    status: int
    body: dict[str, Any]
    try:
        with work.attempt():
            status, body = answer_of(act)
    except ApiError as error:
        status, body = error.status, error.body()
    _keep(work, key, asked, request_id, status, body)
    return json_response(body, status, {"Idempotency-Key": key})


def _find(work: Work, key: str) -> sqlite3.Row | None:
    work.connection.execute("DELETE FROM replies WHERE created < ?", (work.time - KEPT_SECONDS,))
    row: sqlite3.Row | None = work.connection.execute(
        "SELECT * FROM replies WHERE key = ?", (key,)
    ).fetchone()
    return row


def _replay(earlier: sqlite3.Row, key: str, asked: str) -> Response:
    if earlier["fingerprint"] != asked:
        raise ApiError(
            "Keys for idempotent requests can only be used with the same parameters they were"
            f" first used with. Try using a key other than '{key}' if you meant to execute a"
            " different request.",
            type="idempotency_error",
        )
    headers = {
        "Idempotency-Key": key,
        "Idempotent-Replayed": "true",
        "Original-Request": earlier["request_id"],
    }
    return json_response(json.loads(earlier["body"]), earlier["status"], headers)


def _keep(
    work: Work, key: str, asked: str, request_id: str, status: int, body: dict[str, Any]
) -> None:
    work.connection.execute(
        "INSERT INTO replies (key, fingerprint, request_id, status, body, created)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (key, asked, request_id, status, json.dumps(body), work.time),
    )
