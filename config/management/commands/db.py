from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config import embedded


class Command(BaseCommand):
    help = "Start, stop or look at the embedded Postgres (used while DATABASE_URL is unset)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["start", "stop", "status"])

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        if settings.EXTERNAL_DATABASE:
            raise CommandError("DATABASE_URL is set: the database is not this checkout's to run.")
        data = settings.DATA_DIR / "postgres"
        if action == "start":
            self.stdout.write(f"Postgres listens in {embedded.start(data)}")
        elif action == "stop":
            stopped = embedded.stop(data)
            self.stdout.write("Postgres stopped." if stopped else "Postgres was not running.")
        else:
            self.stdout.write("running" if embedded.running(data) else "stopped")
