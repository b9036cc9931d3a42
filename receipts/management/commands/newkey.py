from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from receipts.keys import KeyExistsError, create_key
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError, whereabouts
from receipts.root import after_key_change


class Command(BaseCommand):
    help = (
        "Make an Ed25519 signing key: the private half goes to a file under KEYS_DIR, "
        "the public half to the database. With TOUCHSTONE_KEY_<PURPOSE> set, the key is that "
        "one. Without --purpose: one for each purpose that lacks one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--purpose", choices=SigningKey.Purpose.values)

    def handle(self, *args: Any, purpose: str | None, **options: Any) -> None:
        purposes = [purpose] if purpose else self._lacking()
        if not purposes:
            raise CommandError("every purpose has an active key already")
        for name in purposes:
            try:
                key = create_key(purpose=name)
            except (KeyExistsError, PrivateKeyError) as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{name}: {key.kid}\n  private half: {whereabouts(key)}")
        self.stdout.write(after_key_change())

    def _lacking(self) -> list[str]:
        active = SigningKey.objects.filter(status=SigningKey.Status.ACTIVE)
        held = set(active.values_list("purpose", flat=True))
        return [name for name in SigningKey.Purpose.values if name not in held]
