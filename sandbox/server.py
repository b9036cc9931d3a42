"""The listening server, with a thread for each request and one for deliveries."""

from __future__ import annotations

import errno
import threading
from dataclasses import replace
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from sandbox.app import Application
from sandbox.courier import Courier
from sandbox.settings import Settings, SettingsError
from sandbox.store import Store

if TYPE_CHECKING:
    from typing import Any


class _Listener(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = 30

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keep quiet: the ready line is the only one that is printed."""


class Server:
    """A sandbox that listens from the moment it is made; `run` serves until `stop`."""

    def __init__(self, settings: Settings) -> None:
        """Bind the port (0 picks a free one); raises SettingsError if it is taken."""
        self._listener = _listen(settings)
        self.settings = replace(settings, port=self._listener.server_port)
        store = Store(settings.data, base_url=self.settings.base_url)
        self._listener.set_app(Application(store, self.settings))
        self._courier = Courier(store, self.settings)

    def run(self) -> None:
        """Serve requests and deliver webhooks until `stop` is called."""
        self._courier.start()
        try:
            self._listener.serve_forever(poll_interval=0.1)
        finally:
            self._courier.stop()
            self._listener.server_close()

    def stop(self) -> None:
        """Make `run` return; may be called from a signal handler."""
        # shutdown() waits for the serving loop, which a signal handler interrupts: hence a thread.
        threading.Thread(target=self._listener.shutdown).start()


def _listen(settings: Settings) -> _Listener:
    try:
        return _Listener((settings.host, settings.port), _Handler)
    except OSError as error:
        place = f"{settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise SettingsError(f"{place} is taken. Choose another with --port.") from error
        raise SettingsError(f"Cannot listen on {place}: {error.strerror}.") from error
