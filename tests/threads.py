"""Several things at once, each in a thread with a database connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections


def at_once(*actions: Callable[[], object]) -> list[BaseException]:
    """Run actions in threads that start together; return what they raised."""
    barrier, raised = threading.Barrier(len(actions)), list[BaseException]()

    def run(action: Callable[[], object]) -> None:
        try:
            barrier.wait(timeout=10)
            action()
        except BaseException as error:  # noqa: BLE001 -- a thread has nobody else to tell
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    return raised


class Rival:
    """An action in a thread beside the test, which says whether it is done and what it raised."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.raised: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, args=(action,))
        self._thread.start()

    def _run(self, action: Callable[[], object]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 -- a thread has nobody else to tell
            self.raised.append(error)
        finally:
            connections.close_all()

    def is_waiting(self, *, seconds: float = 0.5) -> bool:
        """Whether it is still held up after that time."""
        self._thread.join(timeout=seconds)
        return self._thread.is_alive()

    def finish(self) -> list[BaseException]:
        """Let it come to its end; returns what it raised."""
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()
        return self.raised
