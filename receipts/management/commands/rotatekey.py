from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from receipts.key_life import KeyLifeError, rotate_key
from receipts.keys import KeyExistsError
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError, whereabouts
from receipts.root import after_key_change


class Command(BaseCommand):
    help = (
        "Retire the active key of a purpose and make its successor. What the old one signed "
        "keeps verifying."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--purpose", choices=SigningKey.Purpose.values, required=True)

    def handle(self, *args: Any, purpose: str, **options: Any) -> None:
        try:
            old, new = rotate_key(purpose=purpose)
        except (KeyLifeError, KeyExistsError, PrivateKeyError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{purpose}: {new.kid}\n  private half: {whereabouts(new)}")
        self.stdout.write(f"retired: {old.kid}\n  what it signed keeps verifying")
        self.stdout.write(after_key_change())
