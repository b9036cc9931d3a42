from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from receipts.key_life import KeyLifeError, retire_key
from receipts.root import after_key_change


class Command(BaseCommand):
    help = (
        "End the time in which a key signs, without a successor. What it signed keeps "
        "verifying; nothing new of its purpose is signed until `newkey`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kid", help="the key's id, as in keys.json")

    def handle(self, *args: Any, kid: str, **options: Any) -> None:
        try:
            key = retire_key(kid=kid)
        except KeyLifeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"retired: {key.kid}\n  what it signed keeps verifying")
        self.stdout.write(
            f"No key signs {key.get_purpose_display()} now: `manage.py newkey --purpose "
            f"{key.purpose}` makes one."
        )
        self.stdout.write(after_key_change())
