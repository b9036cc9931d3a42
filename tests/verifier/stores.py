"""A small store to pin: an HTTP server on this machine that shows a root and what it signed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from touchstone.key_document import build_document
from touchstone.keys import PublicKey
from touchstone.root import root_document, sign_keys

from tests.verifier.kits import SELLER, STRANGER

ROOT = Ed25519PrivateKey.from_private_bytes(b"r" * 32)
OTHER_ROOT = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
PLACE = "/.well-known/touchstone/"
NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
KEY = PublicKey(SELLER.public_key(), purpose="benchmark", not_before=NOON)
REVOKED = replace(KEY, status="revoked", compromised_since=NOON)
SECOND = PublicKey(STRANGER.public_key(), purpose="benchmark", not_before=NOON)

Answer = tuple[int, bytes, dict[str, str]]


class Store:
    """Answers what its pages say; a page may also be a function that writes to the connection."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer | Callable[[Any], None]] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.show([KEY])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def show(self, keys: list[PublicKey], root: Ed25519PrivateKey = ROOT) -> None:
        """Publish keys, signed by a root."""
        document = build_document(keys)
        self.put("root.json", root_document(root.public_key()))
        self.put("keys.json", document)
        self.put("keys.dsse.json", sign_keys(document, root))

    def put(self, name: str, body: bytes, status: int = 200, **headers: str) -> None:
        self.pages[PLACE + name] = (status, body, headers)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        store = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = store.pages.get(self.path, (404, b"nothing here", {}))
                if callable(page):
                    page(self)
                    return
                status, body, headers = page
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler
