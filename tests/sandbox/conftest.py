"""A running sandbox on a free port, a receiver of its webhooks, and the SDK pointed at it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest
import stripe

from sandbox.server import Server
from sandbox.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from stripe.checkout import Session
    from stripe.params.checkout import SessionCreateParams

API_KEY, WEBHOOK_SECRET = "sk_test_shop", "whsec_shop"
DAY = 86_400
PAYING, DECLINED = "4242 4242 4242 4242", "4000 0000 0000 0002"
FAILING_LATER = "4000 0000 0000 0341"


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for something another thread does; fails the test when it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


# Sent with every payment; the page reads it only where the session asks for it.
ADDRESS = {
    "name": "Ada Meridian",
    "line1": "5 Meridian Way",
    "postal_code": "10115",
    "city": "Berlin",
    "country": "DE",
}


class Receiver:
    """The shop's webhook address: checks each signature with the SDK and keeps the events."""

    def __init__(self) -> None:
        self.events: list[stripe.Event] = []
        self.signed_at: list[int] = []
        self.attempts = 0
        self.refusals = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(receiver.take(body, self.headers["Stripe-Signature"]))
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited name
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks/stripe/"

    def take(self, body: bytes, signature: str) -> int:
        self.attempts += 1
        if self.attempts <= self.refusals:
            return 503
        self.signed_at.append(int(signature.partition(",")[0].removeprefix("t=")))
        self.events.append(stripe.Webhook.construct_event(body, signature, WEBHOOK_SECRET))
        return 200

    def types(self) -> list[str]:
        return [event.type for event in self.events]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.02,))
    thread.start()
    yield receiver
    receiver.server.shutdown()
    thread.join()
    receiver.server.server_close()


@contextmanager
def running(data: Path, webhook_url: str) -> Iterator[Server]:
    server = Server(Settings("127.0.0.1", 0, data, API_KEY, webhook_url, WEBHOOK_SECRET))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


@pytest.fixture
def server(tmp_path: Path, receiver: Receiver) -> Iterator[Server]:
    with running(tmp_path / "sandbox.sqlite3", receiver.url) as server:
        yield server


def sdk(server: Server, api_key: str = API_KEY) -> stripe.StripeClient:
    return stripe.StripeClient(api_key, base_addresses={"api": server.settings.base_url})


@pytest.fixture
def client(server: Server) -> stripe.StripeClient:
    return sdk(server)


def kit(**changes: Any) -> SessionCreateParams:
    """The params of a purchase: 2,300.00 USD once and 200.00 USD a month."""
    once = {"currency": "usd", "unit_amount": 230_000, "product_data": {"name": "Kit"}}
    monthly = {
        "currency": "usd",
        "unit_amount": 20_000,
        "product_data": {"name": "Maintenance"},
        "recurring": {"interval": "month"},
    }
    params: Any = {
        "mode": "subscription",
        "line_items": [
            {"price_data": once, "quantity": 1},
            {"price_data": monthly, "quantity": 1},
        ],
        "client_reference_id": "purchase-1",
        "customer_email": "buyer@example.com",
        "metadata": {"purchase": "1"},
        "subscription_data": {"metadata": {"purchase": "1"}},
        "success_url": "http://shop.example/thanks?session_id={CHECKOUT_SESSION_ID}",
        "cancel_url": "http://shop.example/buy",
    }
    params.update(changes)
    return {name: value for name, value in params.items() if value is not None}  # type: ignore[return-value]  # optional keys of a TypedDict


def ask(
    method: str, url: str, body: str = "", headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], str]:
    """Send one request as a browser or a script would, without following redirects."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    target = address.path + (f"?{address.query}" if address.query else "")
    connection.request(method, target, body, headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text


def pay(url: str | None, card: str = PAYING, **fields: str) -> tuple[int, dict[str, str], str]:
    """Submit the form of the hosted page."""
    assert url is not None
    return ask("POST", url, urlencode({"card": card, **ADDRESS, **fields}))


def control(server: Server, method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {API_KEY}"}
    text = json.dumps(body) if body is not None else ""
    status, _, answer = ask(method, f"{server.settings.base_url}/sandbox{path}", text, headers)
    assert status == 200, answer
    return json.loads(answer)


def advance(server: Server, seconds: float) -> list[str]:
    """Move the sandbox's time forward; returns the actions that were due, in their order."""
    answer = control(server, "POST", "/clock", {"advance": seconds})
    return [entry["action"] for entry in answer["happened"]]


def refused(server: Server, path: str, body: Any) -> str:
    """Send a control that must be refused with 400; returns the message."""
    headers = {"Authorization": f"Bearer {API_KEY}"}
    address = f"{server.settings.base_url}/sandbox{path}"
    status, _, answer = ask("POST", address, json.dumps(body), headers)
    assert status == 400, answer
    return str(json.loads(answer)["error"]["message"])


def kinds_since(client: stripe.StripeClient, moment: int) -> list[str]:
    """The types of the events since a moment of the sandbox's time, the oldest first."""
    page = client.v1.events.list({"created": {"gte": moment}, "limit": 100})
    return [event.type for event in reversed(page.data)]


def states(server: Server) -> list[str]:
    return [entry["state"] for entry in control(server, "GET", "/deliveries")["deliveries"]]


@pytest.fixture
def session(client: stripe.StripeClient) -> Session:
    return client.v1.checkout.sessions.create(kit())


@pytest.fixture
def paid(client: stripe.StripeClient, session: Session) -> Session:
    """A completed session, with its invoice and subscription in full."""
    status, _, text = pay(session.url)
    assert status == 303, text
    expand = ["invoice.payments", "subscription", "line_items"]
    return client.v1.checkout.sessions.retrieve(session.id, {"expand": expand})
