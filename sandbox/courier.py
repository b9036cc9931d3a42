"""The background thread that sends due webhooks and does what is due by the sandbox's clock."""

from __future__ import annotations

import http.client
import json
import logging
import sqlite3
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sandbox import clock, deliveries
from sandbox.signing import signature_header

if TYPE_CHECKING:
    from sandbox.settings import Settings
    from sandbox.store import Store

_PAUSE_SECONDS = 0.2
_PATIENCE_SECONDS = 10
_OK = range(200, 300)

log = logging.getLogger(__name__)


class Courier:
    """Sends one delivery at a time, in order of their due times; never inside a transaction."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sandbox-courier", daemon=True)

    def start(self) -> None:
        """Begin to deliver, with what an earlier run left pending."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the delivery in hand; what is pending stays in the file."""
        self._stopped.set()
        self._thread.join(_PATIENCE_SECONDS + 1)

    def _run(self) -> None:
        while not self._stopped.wait(_PAUSE_SECONDS):
            try:
                self._round()
            except sqlite3.Error:
                # A full disk or a long lock must not end deliveries for good: look again later.
                log.exception("The sandbox could not read its deliveries")

    def _round(self) -> None:
        clock.do_due(self._store)
        while not self._stopped.is_set() and self._deliver_next():
            pass

    def _deliver_next(self) -> bool:
        with self._store.transaction() as work:
            due = deliveries.next_due(work.connection, now=work.real)
            event = work.find(due["event"]) if due else None
        if due is None or event is None:
            return False
        ok, answer = self._send(json.dumps(event, indent=2).encode())
        with self._store.transaction() as work:
            deliveries.record(work.connection, due, answer=answer, ok=ok, now=work.real)
        return True

    def _send(self, body: bytes) -> tuple[bool, str]:
        address = urlsplit(self._settings.webhook_url)
        target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        secure = address.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=_PATIENCE_SECONDS)
        try:
            connection.request("POST", target, body, self._headers(body))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return False, f"{type(error).__name__}: {error}"
        finally:
            connection.close()
        return status in _OK, str(status)

    def _headers(self, body: bytes) -> dict[str, str]:
        # Signed when it is sent, by the real clock: receivers refuse old signatures.
        signature = signature_header(
            body, secret=self._settings.webhook_secret, now=int(time.time())
        )
        return {
            "Content-Type": "application/json; charset=utf-8",
            "Stripe-Signature": signature,
            "User-Agent": "Stripe/1.0 (sandbox)",
        }
