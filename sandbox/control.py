"""The control API under /sandbox/, for tests and the demo; JSON in and out, with the API key."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sandbox import clock, deliveries
from sandbox.api import require_key
from sandbox.errors import ApiError
from sandbox.objects import collecting, disputes, instruments, refund_states
from sandbox.web import Response, json_response

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandbox.faults import Faults
    from sandbox.settings import Settings
    from sandbox.store import Store
    from sandbox.web import Request
    from sandbox.work import Work


def answer(request: Request, store: Store, settings: Settings, faults: Faults) -> Response:
    """Answer one control request; refusals have the form of the API's errors."""
    try:
        require_key(request, settings.api_key)
        if (request.method, request.path) == ("POST", "/sandbox/clock"):
            # Each step on the way commits by itself, so this one opens its own transactions.
            return json_response(clock.move(store, _json(request.body)))
        if request.path == "/sandbox/faults":
            return json_response(_faults(request, faults))
        with store.transaction() as work:
            return json_response(_run(request, work))
    except ApiError as error:
        return json_response(error.body(), error.status)


def _faults(request: Request, faults: Faults) -> Any:
    if request.method == "POST":
        return faults.arm(_json(request.body))
    return faults.clear() if request.method == "DELETE" else faults.state()


def _run(request: Request, work: Work) -> Any:
    for method, pattern, control in _CONTROLS:
        found = re.fullmatch(f"/sandbox{pattern}", request.path)
        if found and method == request.method:
            values = _json(request.body) if request.body else None
            return control(work, *found.groups(), values)
    raise ApiError(f"No such control: {request.method} {request.path}", status=404)


def _deliveries(work: Work, _: Any) -> Any:
    return {"deliveries": deliveries.listing(work.connection)}


def _clock(work: Work, _: Any) -> Any:
    return clock.state(work)


def _behaviour(work: Work, _: Any) -> Any:
    return asdict(deliveries.behaviour(work.connection))


def _set_behaviour(work: Work, values: Any) -> Any:
    wanted = deliveries.read_behaviour(values)
    deliveries.set_behaviour(work.connection, wanted, now=work.real)
    return asdict(wanted)


def _replay(work: Work, identifier: str, _: Any) -> Any:
    event = work.get("event", identifier)
    deliveries.replay(work.connection, event["id"], now=work.real)
    return {"queued": event["id"]}


def _card(work: Work, identifier: str, values: Any) -> Any:
    method = work.get("payment_method", identifier)
    behaviour = word(values, "behaviour", instruments.BEHAVIOURS)
    instruments.behave(work, method["id"], behaviour)
    return {"payment_method": method["id"], "behaviour": behaviour}


def _payment(work: Work, identifier: str, values: Any) -> Any:
    outcome = word(values, "outcome", ("succeeded", "failed"))
    intent = work.get("payment_intent", identifier)
    if intent["status"] != "processing":
        raise ApiError(f"The payment is {intent['status']}, not processing.")
    collecting.resolve(work, identifier, paid=outcome == "succeeded")
    return {"payment_intent": identifier, "outcome": outcome}


def _refunds(work: Work, values: Any) -> Any:
    return {"mode": refund_states.mode(work)}


def _set_refunds(work: Work, values: Any) -> Any:
    work.set("refunds", word(values, "mode", refund_states.MODES))
    return {"mode": refund_states.mode(work)}


def _refund(work: Work, identifier: str, values: Any) -> Any:
    return refund_states.decide(work, identifier, word(values, "status", ("succeeded", "failed")))


def _open_dispute(work: Work, values: Any) -> Any:
    return disputes.asked(work, values)


def _dispute(work: Work, identifier: str, values: Any) -> Any:
    status = word(values, "status", disputes.STATUSES)
    return disputes.decide(work, work.get("dispute", identifier), status)


def word(values: Any, name: str, words: Sequence[str]) -> str:
    """Return the word that a control asks for; raises ApiError (400) for another one."""
    given = values.get(name) if isinstance(values, dict) else None
    if given not in words:
        raise ApiError(f"Invalid {name}: must be one of {', '.join(words)}", param=name)
    return str(given)


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise ApiError(f"The body is not JSON: {error}") from error


_ID = "/([^/]+)"
_CONTROLS: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "/deliveries", _deliveries),
    ("GET", "/clock", _clock),
    ("GET", "/behaviour", _behaviour),
    ("POST", "/behaviour", _set_behaviour),
    ("POST", f"/events{_ID}/replay", _replay),
    ("POST", f"/cards{_ID}", _card),
    ("POST", f"/payments{_ID}", _payment),
    ("GET", "/refunds", _refunds),
    ("POST", "/refunds", _set_refunds),
    ("POST", f"/refunds{_ID}", _refund),
    ("POST", "/disputes", _open_dispute),
    ("POST", f"/disputes{_ID}", _dispute),
]
