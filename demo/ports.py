"""Which loopback ports are to be had."""

from __future__ import annotations

import errno
import socket
from contextlib import ExitStack

from demo.errors import DemoError

HOST = "127.0.0.1"
LAST_PORT = 65535


def check_port(port: int, *, purpose: str) -> None:
    """Raise DemoError unless a server could listen on the port now."""
    if not 0 < port <= LAST_PORT:
        raise DemoError(f"PORT: {port} for the {purpose} is not between 1 and {LAST_PORT}.")
    with socket.socket() as probe:
        # As servers do: a connection that lingers after its server ended is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise DemoError(_refusal(port, purpose=purpose, error=error)) from error


def _refusal(port: int, *, purpose: str, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        reason = "is taken by another program"
    elif error.errno == errno.EACCES:
        reason = "is reserved for the system's administrator"
    else:
        reason = f"cannot be had ({error.strerror})"
    return (
        f"Port {port}, wanted for the {purpose}, {reason}.\n"
        "Choose another: make demo PORT=8100 (the payment sandbox takes the port after it)."
    )


def free_ports(count: int) -> list[int]:
    """Different ports that nobody listens on, as the system picks them.

    Between this answer and their use another program may take one; its user then says so.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]
