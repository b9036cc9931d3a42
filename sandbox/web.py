"""The little of HTTP that the sandbox needs, over WSGI."""

from __future__ import annotations

import http
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sandbox.errors import ApiError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

LARGEST_BODY = 1 << 20


@dataclass(frozen=True)
class Request:
    """One request; header names are lower case."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: str


@dataclass
class Response:
    """One answer; `headers` are added to the content type."""

    body: bytes
    content_type: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def read_request(environ: WSGIEnvironment) -> Request:
    """Read a WSGI request; raises ApiError (400, 413) for a body that is too large or not text."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    return Request(
        method=environ["REQUEST_METHOD"],
        path=environ.get("PATH_INFO", "/"),
        query=environ.get("QUERY_STRING", ""),
        headers=headers,
        body=_read_body(environ),
    )


def json_response(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in JSON."""
    text = json.dumps(body, indent=2) + "\n"
    return Response(text.encode(), "application/json", status, headers or {})


def html_response(text: str, status: int, leads_to: str = "") -> Response:
    """Return a page for people; `leads_to` is where its form may send the browser."""
    # Browsers hold the redirect after a form to `form-action` too, so the shop's origin is in it.
    target = urlsplit(leads_to)
    origin = f" {target.scheme}://{target.netloc}" if target.netloc else ""
    policy = (
        "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none';"
        f" form-action 'self'{origin}"
    )
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    return Response(text.encode(), "text/html; charset=utf-8", status, headers)


def send(response: Response, start_response: StartResponse) -> list[bytes]:
    """Hand an answer to the WSGI server."""
    headers = {
        "Content-Type": response.content_type,
        "Content-Length": str(len(response.body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        **response.headers,
    }
    phrase = http.HTTPStatus(response.status).phrase
    start_response(f"{response.status} {phrase}", list(headers.items()))
    return [response.body]


def _read_body(environ: WSGIEnvironment) -> str:
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal():
        raise ApiError("Invalid Content-Length header.")
    if int(length) > LARGEST_BODY:
        raise ApiError(f"The request body is larger than {LARGEST_BODY} bytes.", status=413)
    try:
        return str(environ["wsgi.input"].read(int(length)).decode())
    except UnicodeDecodeError as error:
        raise ApiError("The request body is not UTF-8.") from error
