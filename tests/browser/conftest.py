"""A store that listens, a payment provider beside it, and Chromium to walk through both."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from licensing.models import User
from sandbox.server import Server
from sandbox.settings import Settings
from tests.browser.buyer import PATIENCE_MS
from tests.people import signed_in

API_KEY, WEBHOOK_SECRET = "sk_test_browser", "whsec_browser"
# Nothing but this machine has a name: what a page asks of others is seen, and reaches nobody.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]


class Watched:
    """A browser's window for one person, and everything that a quiet page would not do."""

    def __init__(self, context: BrowserContext, *, origins: tuple[str, ...]) -> None:
        self.context, self.origins = context, origins
        self.complaints: list[str] = []
        context.on("page", self._watch)
        context.on("request", self._request)
        self.page = context.new_page()

    def _watch(self, page: Page) -> None:
        # Chromium reports what a policy forbids as an error of the console.
        page.on("console", lambda said: self._said(said.type, said.text))
        page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))

    def _said(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.complaints.append(f"console: {text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((*self.origins, "data:")):
            self.complaints.append(f"request to {request.url}")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One Chromium for the tests of a file; without one installed they are skipped."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, from which Django would refuse to query.
        patch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """The store, listening; it finds static files where their sources are."""
    # WhiteNoise looks for collected files when a server is made, and warns of no such folder.
    with override_settings(STATIC_ROOT=tmp_path_factory.mktemp("static")):
        server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture
def provider(live_server: LiveServer, tmp_path: Path) -> Iterator[Server]:
    """The payment sandbox, which sends its events to the live store."""
    webhooks = f"{live_server.url}/webhooks/stripe/"
    data = tmp_path / "sandbox.sqlite3"
    server = Server(Settings("127.0.0.1", 0, data, API_KEY, webhooks, WEBHOOK_SECRET))
    thread = threading.Thread(target=server.run)
    thread.start()
    yield server
    # Ends after the event in hand, so that nothing writes while the tables are emptied.
    server.stop()
    thread.join()


@pytest.fixture
def store(live_server: LiveServer, provider: Server, settings: Any) -> str:
    """The address of a store that knows itself and its payment provider."""
    settings.SITE_URL = live_server.url
    settings.STRIPE_SECRET_KEY = API_KEY
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    settings.STRIPE_API_BASE = provider.settings.base_url
    policy = deepcopy(settings.CONTENT_SECURITY_POLICY)
    policy["DIRECTIVES"]["form-action"] = ["'self'", provider.settings.base_url]
    settings.CONTENT_SECURITY_POLICY = policy
    return live_server.url


@pytest.fixture
def opened(chromium: Browser, store: str, provider: Server) -> Iterator[Callable[..., Watched]]:
    """Open a window at the store, signed in or not; options are those of a browser context."""
    contexts: list[BrowserContext] = []

    def open_window(user: User | None = None, **options: Any) -> Watched:
        context = chromium.new_context(base_url=store, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        if user is not None:
            session = signed_in(user).cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": session, "url": store}])
        return Watched(context, origins=(f"{store}/", f"{provider.settings.base_url}/"))

    yield open_window
    for context in contexts:
        context.close()
