import signal
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import OperationalError, connection

from entitlements.forgetting import forget_old
from entitlements.inbox import retry_waiting
from entitlements.outbox import run_due

HOUR = 3600.0


class Command(BaseCommand):
    help = "Do the outbox's work, polling: the worker of an installation without a broker."

    forgets_at = 0.0  # by the monotonic clock: at the first look, then once an hour

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due and stop")
        parser.add_argument("--every", type=float, default=1.0, help="seconds between looks")

    def handle(self, *args: Any, once: bool, every: float, **options: Any) -> None:
        stop = threading.Event()
        if once:
            stop.set()
        else:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stop.set())
            self.stdout.write("worker: waiting for work")
        while True:
            self._look()
            if stop.wait(every):
                break

    def _look(self) -> None:
        try:
            if done := run_due() + retry_waiting():
                self.stdout.write(f"worker: {done} done")
            if time.monotonic() >= self.forgets_at:
                forget_old()
                self.forgets_at = time.monotonic() + HOUR
        except OperationalError as error:
            # Postgres restarts: say so, and look again with a new connection.
            self.stderr.write(f"worker: the database does not answer: {error}")
            connection.close()
