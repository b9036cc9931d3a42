import sys
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.models import PackageVersion
from receipts.key_life import KeyLifeError, revoke_key
from receipts.models import SigningKey
from receipts.root import after_key_change


class Command(BaseCommand):
    help = (
        "Revoke a key whose private half may be in other hands. At once, nothing that it "
        "signed holds, and no kit that rests on it is sold or delivered."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kid", help="the key's id, as in keys.json")
        parser.add_argument(
            "--since", required=True, help="compromised since: ISO 8601 with zone, published"
        )
        parser.add_argument("--reason", required=True, help="why; published")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, kid: str, since: str, reason: str, **options: Any) -> None:
        moment = _moment(since)
        key = SigningKey.objects.filter(kid=kid).first()
        if key is None:
            raise CommandError(f"no key has the id {kid}")
        self._tell(key)
        if not options["yes"]:
            _ask()
        try:
            revoke_key(kid=kid, compromised_since=moment, reason=reason)
        except KeyLifeError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"revoked: {kid}")
        self.stdout.write(after_key_change())
        self.stdout.write(_what_next(key))

    def _tell(self, key: SigningKey) -> None:
        signed = key.receipts.count()
        self.stdout.write(f"{key.kid} signs {key.get_purpose_display()}; it is {key.status}.")
        self.stdout.write(f"{signed} signed by it will no longer hold. Versions that stop opening:")
        versions = PackageVersion.objects.filter(benchmark_receipt__key=key).select_related(
            "package"
        )
        for version in versions.order_by("package__slug", "id"):
            self.stdout.write(f"  {version.package.slug} {version.version} ({version.state})")
        if not versions:
            self.stdout.write("  none")


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"--since: {text!r} is no time such as 2026-07-30T12:00:00Z") from None
    if moment.tzinfo is None:
        raise CommandError("--since: say the zone too, as in 2026-07-30T12:00:00Z")
    return moment


def _ask() -> None:
    if not sys.stdin.isatty():
        raise CommandError("there is nobody to ask: look at the list, then add --yes")
    if input("Revoking cannot be undone. Type the word revoke: ").strip() != "revoke":
        raise CommandError("nothing was changed")


def _what_next(key: SigningKey) -> str:
    made = f"`manage.py newkey --purpose {key.purpose}`"
    if key.purpose == SigningKey.Purpose.BENCHMARK:
        return f"Next: {made} if no key is active, then `manage.py reissue_receipt` per version."
    return f"Next: {made} if no key is active; buyers' receipts are then signed anew."
