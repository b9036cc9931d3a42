import signal
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import OperationalError, connection

from entitlements.forgetting import forget_old
from entitlements.inbox import retry_waiting
from entitlements.outbox import run_due
from entitlements.reconciling import sweep

WAITING_SECONDS, HOUR = 10, 3600


class Every:
    """Says at most once in so many seconds that something is due; at first it is."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.last = seconds, float("-inf")

    def is_due(self) -> bool:
        """Whether the time has come; then it begins anew."""
        now = time.monotonic()
        if now - self.last < self.seconds:
            return False
        self.last = now
        return True


class Command(BaseCommand):
    help = "Do the outbox's work, polling: the worker of an installation without a broker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due and stop")
        parser.add_argument("--every", type=float, default=1.0, help="seconds between looks")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Who waits may ask Stripe: not each second.
        self.waiting = Every(WAITING_SECONDS)
        self.sweeping = Every(60 * settings.SWEEP_MINUTES)
        self.forgetting = Every(HOUR)

    def handle(self, *args: Any, once: bool, every: float, **options: Any) -> None:
        stop = threading.Event()
        if once:
            stop.set()
        else:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stop.set())
            self.stdout.write("worker: waiting for work")
        while True:
            self._look(once=once)
            if stop.wait(every):
                break

    def _look(self, *, once: bool) -> None:
        try:
            done = run_due()
            if once or self.waiting.is_due():
                done += retry_waiting()
            if done:
                self.stdout.write(f"worker: {done} done")
            if self.forgetting.is_due():
                forget_old()
            if not once and self.sweeping.is_due():
                sweep()
        except OperationalError as error:
            # Postgres restarts: say so, and look again with a new connection.
            self.stderr.write(f"worker: the database does not answer: {error}")
            connection.close()
