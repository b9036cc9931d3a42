"""Fetching a store's documents: https alone, small, soon, and from nowhere else."""

import http.client
import time
import urllib.error
import urllib.request
from email.message import Message
from ipaddress import ip_address
from typing import IO
from urllib.parse import urlsplit

from touchstone.errors import TouchstoneError

MAX_BYTES = 2 << 20
SILENCE_SECONDS = 10.0
TOTAL_SECONDS = 30.0

_BLOCK = 1 << 16


class FetchError(TouchstoneError):
    """A document did not arrive; the message says which and why."""


class AddressError(TouchstoneError):
    """The address is not one that keys may be fetched from."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        # Whoever answers for another place would be pinned in this one's name.
        return None


def origin_of(url: str) -> str:
    """The origin of a store's address, such as https://store.example. Raises AddressError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressError(f"{url!r} is not an address: {error}") from error
    if parts.scheme not in ("https", "http") or not host or "@" in parts.netloc:
        raise AddressError(f"{url!r} is not an address such as https://store.example")
    if parts.scheme == "http" and not _is_loopback(host):
        raise AddressError(f"{url!r}: keys are fetched over https, or from this very machine")
    name = f"[{host}]" if ":" in host else host
    usual = {"https": 443, "http": 80}[parts.scheme]
    return f"{parts.scheme}://{name}" + (f":{port}" if port not in (None, usual) else "")


def fetch(url: str) -> bytes:
    """The body of an answer 200, of at most 2 MiB, within half a minute. Raises FetchError."""
    deadline = time.monotonic() + TOTAL_SECONDS
    request = urllib.request.Request(url, headers={"Cache-Control": "no-cache"})  # noqa: S310 - origin_of allows https, and http on loopback alone
    try:
        with _opener(url).open(request, timeout=SILENCE_SECONDS) as answer:
            return _read(answer, url, deadline)
    except urllib.error.HTTPError as error:
        with error:
            raise FetchError(f"{url}: the answer is {error.code}{_said(error)}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise FetchError(f"{url}: {reason}") from error


def _read(answer: http.client.HTTPResponse, url: str, deadline: float) -> bytes:
    body = bytearray()
    # read1 returns with whatever came, so that a trickle cannot outlast the deadline.
    while block := answer.read1(_BLOCK):
        body += block
        if len(body) > MAX_BYTES:
            raise FetchError(f"{url}: longer than {MAX_BYTES} bytes")
        if time.monotonic() > deadline:
            raise FetchError(f"{url}: not here after {TOTAL_SECONDS:.0f} seconds")
    return bytes(body)


def _said(error: urllib.error.HTTPError) -> str:
    try:
        text = error.read(300).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException):
        return ""
    # A page for browsers explains nothing here.
    return f", {text}" if text and not text.startswith("<") else ""


def _opener(url: str) -> urllib.request.OpenerDirector:
    direct = [urllib.request.ProxyHandler({})] if urlsplit(url).scheme == "http" else []
    return urllib.request.build_opener(_NoRedirect, *direct)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
