from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.core.management.base import BaseCommand, CommandError
from touchstone.root import fingerprint, grouped

from receipts.root import RootRefused, accept_signed_keys


class Command(BaseCommand):
    help = "Take in keys.json as the root signed it elsewhere, if it is the current one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what `touchstone sign-keys` printed")
        parser.add_argument("--root", type=Path, metavar="PUB", help="public half; the first time")
        parser.add_argument("--replace-root", action="store_true", help="another root than before")

    def handle(
        self, *args: Any, file: Path, root: Path | None, replace_root: bool, **options: Any
    ) -> None:
        try:
            row, new = accept_signed_keys(
                envelope=file.read_bytes(),
                root=_public_half(root) if root else None,
                replace=replace_root,
            )
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        except RootRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        done = "taken in" if new else "known already: nothing to do;"
        self.stdout.write(f"signed keys.json {done} state {row.sequence}")
        self.stdout.write(f"  by the root {grouped(fingerprint(row.root))}")


def _public_half(path: Path) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(path.read_bytes())
    except (ValueError, UnsupportedAlgorithm):
        raise CommandError(f"{path}: holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise CommandError(f"{path}: holds a key that is not Ed25519")
    return key
