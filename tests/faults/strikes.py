"""What breaks at a point: the process is killed, or the database connection is cut."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable

import psycopg
from django.db import Error, OperationalError, connection

from tests.faults.points import Points

Operation = Callable[[], object]
LOST = "the answer to COMMIT was lost"


def count(operation: Operation) -> list[str]:
    """The points of an operation that nothing disturbs, in their order."""
    points = Points()
    with points.watching():
        operation()
    return points.passed


def killed(operation: Operation, *, at: int) -> bool:
    """Run an operation in a process of its own that gets SIGKILL at a point; whether it came there.

    What it had not committed is Postgres' to undo: there is no exit handler, no rollback.
    """
    connection.close()  # a fork would share the socket
    with warnings.catch_warnings():
        # Threads of the sandbox stay behind in the parent: the child needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            with Points(at=at, strike=lambda _: os.kill(os.getpid(), signal.SIGKILL)).watching():
                operation()
        finally:
            os._exit(70)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def cut(operation: Operation, *, at: int) -> object:
    """Run an operation whose database connection Postgres ends at a point.

    Returns what it returned, or the database's error that it raised; any other error is raised.
    """
    struck: list[str] = []

    def strike(name: str) -> None:
        struck.append(name)
        _end_connection()
        if name == "after COMMIT":
            # It is in the database, and who asked for it never hears.
            raise OperationalError(LOST)

    try:
        with Points(at=at, strike=strike).watching():
            return operation()
    except Error as error:
        return error
    finally:
        connection.close()
        assert struck, f"point {at} was not reached"


def _end_connection() -> None:
    if connection.connection is None or connection.connection.closed:
        return
    pid = connection.connection.info.backend_pid
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        row = other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid]).fetchone()
    assert row == (True,)
