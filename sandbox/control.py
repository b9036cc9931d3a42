"""The control API under /sandbox/, for tests and the demo; JSON in and out, with the API key."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sandbox import clock, deliveries
from sandbox.api import require_key
from sandbox.errors import ApiError
from sandbox.web import Response, json_response

if TYPE_CHECKING:
    from sandbox.settings import Settings
    from sandbox.store import Store
    from sandbox.web import Request
    from sandbox.work import Work

_REPLAY, _EVENTS = "/replay", "/sandbox/events/"


def answer(request: Request, store: Store, settings: Settings) -> Response:
    """Answer one control request; refusals have the form of the API's errors."""
    try:
        require_key(request, settings.api_key)
        if (request.method, request.path) == ("POST", "/sandbox/clock"):
            # Each step on the way commits by itself, so this one opens its own transactions.
            return json_response(clock.move(store, _json(request.body)))
        with store.transaction() as work:
            return json_response(_run(request, work))
    except ApiError as error:
        return json_response(error.body(), error.status)


def _run(request: Request, work: Work) -> Any:
    asked = (request.method, request.path)
    if asked == ("GET", "/sandbox/deliveries"):
        return {"deliveries": deliveries.listing(work.connection)}
    if asked == ("GET", "/sandbox/clock"):
        return clock.state(work)
    if asked == ("GET", "/sandbox/behaviour"):
        return asdict(deliveries.behaviour(work.connection))
    if asked == ("POST", "/sandbox/behaviour"):
        wanted = deliveries.read_behaviour(_json(request.body))
        deliveries.set_behaviour(work.connection, wanted, now=work.real)
        return asdict(wanted)
    if request.method == "POST" and request.path.startswith(_EVENTS):
        return _replay(request.path, work)
    raise ApiError(f"No such control: {request.method} {request.path}", status=404)


def _replay(path: str, work: Work) -> Any:
    if not path.endswith(_REPLAY):
        raise ApiError(f"No such control: POST {path}", status=404)
    event = work.get("event", path.removeprefix(_EVENTS).removesuffix(_REPLAY))
    deliveries.replay(work.connection, event["id"], now=work.real)
    return {"queued": event["id"]}


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise ApiError(f"The body is not JSON: {error}") from error
