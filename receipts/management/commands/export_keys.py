from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from receipts.keys import keys_document


class Command(BaseCommand):
    help = (
        "Write keys.json to be signed where the root is: `touchstone sign-keys --root ROOT FILE`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            file.write_bytes(keys_document())
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        self.stdout.write(f"wrote {file}")
