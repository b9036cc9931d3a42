"""Follows every link of the store, breadth first, as one person."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from licensing.models import User
from tests.config.canaries import leaks

METHODS = ("POST", "PUT", "OPTIONS")
LINK = re.compile(r"""(?:href|src|action|hx-get|data-src)=["']([^"']+)["']""")


class Answer(NamedTuple):
    """What somebody was told: the status, the headers, and the body, which may be an archive."""

    status: int
    head: bytes
    body: bytes


class Crawl:
    """What one person is told, at every address that they can find."""

    def __init__(self, user: User | None, *, seeds: Iterable[str]) -> None:
        browser = Client()
        if user is not None:
            browser.force_login(user)
        self.cookies = browser.cookies
        self.answers: dict[str, Answer] = {}
        self._waiting = deque(["/", *seeds])
        while self._waiting:
            self._open(self._waiting.popleft())

    @property
    def statuses(self) -> set[int]:
        """Every kind of answer there was."""
        return {answer.status for answer in self.answers.values()}

    def leaks(self, wanted: dict[str, set[bytes]]) -> dict[str, set[str]]:
        """The names of what was told, by request; nothing for a request that told nothing."""
        found = {
            request: {*leaks(each.head, wanted), *leaks(each.body, wanted)}
            for request, each in self.answers.items()
        }
        return {request: names for request, names in found.items() if names}

    def _open(self, path: str) -> None:
        if f"GET {path}" in self.answers:
            return
        self._waiting.extend(_links(path, self._ask("GET", path)))
        # The desk's many pages are read; what its forms may do is for others to ask.
        if "?" not in path and not path.startswith("/staff/"):
            self._ask("GET", path, accept="application/json")
            for method in METHODS:
                self._ask(method, path)
            self._ask("POST", path, checked=True)

    def _ask(
        self, method: str, path: str, *, accept: str = "text/html", checked: bool = False
    ) -> str:
        """Make one request, and undo what it changed; returns what may hold links."""
        cache.clear()  # allauth counts attempts there
        client = Client(enforce_csrf_checks=checked, raise_request_exception=False)
        client.cookies.load({name: each.value for name, each in self.cookies.items()})
        with transaction.atomic():
            response: Any = client.generic(method, path, headers={"Accept": accept})
            body = response.getvalue() if response.streaming else response.content
            transaction.set_rollback(True)
        head = "".join(f"{name}: {value}\n" for name, value in response.headers.items())
        key = method + (" unchecked" if checked else "") + (" as data" if "json" in accept else "")
        request = f"{key} {path}"
        self.answers[request] = Answer(response.status_code, head.encode(), bytes(body))
        return head + bytes(body).decode(errors="replace")


def _links(path: str, page: str) -> Iterable[str]:
    """The paths of this store that a page, a header or a JSON document names."""
    here = settings.SITE_URL.rstrip("/")
    named = [unescape(link) for link in LINK.findall(page)]
    named += re.findall(r"^Location: (\S+)$", page, re.MULTILINE)
    named += re.findall(rf"{re.escape(here)}(/[^\s\"'<>)]*)", page)
    for link in named:
        parts = urlsplit(urljoin(f"{here}{path}", link))
        if f"{parts.scheme}://{parts.netloc}" != here or parts.path.startswith("/static/"):
            continue
        # No queries: lists that sort, and where to go after signing in, multiply without end.
        yield parts.path
