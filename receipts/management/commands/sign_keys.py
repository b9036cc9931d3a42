from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from touchstone.root import fingerprint, grouped

from receipts.root import RootRefused, sign_current_keys


class Command(BaseCommand):
    help = "Sign the current keys.json with the root's private half, which is read and not kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--root", type=Path, required=True, metavar="FILE")
        parser.add_argument("--replace-root", action="store_true", help="another root than before")

    def handle(self, *args: Any, root: Path, replace_root: bool, **options: Any) -> None:
        try:
            row, new = sign_current_keys(pem=root.read_bytes(), replace=replace_root)
        except OSError as error:
            raise CommandError(f"{root}: {error.strerror}") from error
        except RootRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        done = "signed" if new else "is signed already: nothing to do;"
        self.stdout.write(f"keys.json {done} state {row.sequence}")
        self.stdout.write(f"  by the root {grouped(fingerprint(row.root))}")
