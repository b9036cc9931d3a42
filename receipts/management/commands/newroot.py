from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from touchstone.root import fingerprint, grouped

from receipts.root import RootRefused, make_root, public_path


class Command(BaseCommand):
    help = (
        "Make the root key that signs keys.json, in a file that you then take away from here: "
        "the store never needs it. Prints the fingerprint to give to buyers."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        try:
            root = make_root(path=out)
        except RootRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"root: {grouped(fingerprint(root))}")
        self.stdout.write(f"  private half: {out}\n  public half: {public_path(out)}")
