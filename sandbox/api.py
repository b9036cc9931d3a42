"""The API under /v1/: key, address, params, idempotency, then the handler."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from typing import TYPE_CHECKING

import stripe

from sandbox import form, idempotency
from sandbox.calls import Call
from sandbox.contract import check
from sandbox.errors import ApiError, answer_of
from sandbox.routes import ROUTES, Route
from sandbox.web import Response, json_response

if TYPE_CHECKING:
    from sandbox.settings import Settings
    from sandbox.store import Store
    from sandbox.web import Request


def answer(request: Request, store: Store, settings: Settings) -> Response:
    """Answer one API request; every refusal is Stripe's error object with a Request-Id."""
    request_id = f"req_{secrets.token_hex(7)}"
    try:
        require_key(request, settings.api_key)
        response = _run(request, store, settings, request_id)
    except ApiError as error:
        response = json_response(error.body(), error.status)
    response.headers = {
        "Request-Id": request_id,
        "Stripe-Version": stripe.api_version,
        **response.headers,
    }
    return response


def require_key(request: Request, api_key: str) -> None:
    """Check the secret key, sent as a bearer token or as the user name of basic auth.

    Raises ApiError (401).
    """
    given = _given_key(request.headers.get("authorization", ""))
    if not given:
        raise ApiError(
            "You did not provide an API key. You need to provide your API key in the Authorization"
            " header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
            status=401,
        )
    if not hmac.compare_digest(given.encode(), api_key.encode()):
        raise ApiError(f"Invalid API Key provided: {given[:8]}****", status=401)


def _given_key(header: str) -> str:
    scheme, _, credentials = header.partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _run(request: Request, store: Store, settings: Settings, request_id: str) -> Response:
    route, places = _route(request)
    values = form.decode(request.body if request.method == "POST" else request.query)
    params = check(route.params, values)
    key = request.headers.get("idempotency-key") if request.method == "POST" else None
    with store.transaction(request_id=request_id, key=key) as work:
        call = Call(work, params, base_url=settings.base_url, **places)
        if key is None:
            status, body = answer_of(lambda: route.handler(call))
            return json_response(body, status)
        fingerprint = idempotency.fingerprint(request.path, values)
        return idempotency.once(work, key, fingerprint, request_id, lambda: route.handler(call))


def _route(request: Request) -> tuple[Route, dict[str, str]]:
    for route in ROUTES:
        places = route.match(request.path)
        if places is not None and route.method == request.method:
            return route, places
    raise ApiError(
        f"Unrecognized request URL ({request.method}: {request.path}). The sandbox knows part of"
        " Stripe's API; see docs/sandbox.md.",
        status=404,
    )
