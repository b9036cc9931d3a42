import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from entitlements.reconciling import DAYS, reconcile
from entitlements.stripe.client import StripeNotConfigured


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ArgumentTypeError(f"{text}: a day like 2027-01-31") from None


class Command(BaseCommand):
    help = "Compare Stripe with our ledger, both ways. Ends with 1 while a difference remains."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="enter what is missing here")
        parser.add_argument(
            "--since", type=_day, help=f"the first day, UTC; {DAYS} days ago when left out"
        )

    def handle(self, *args: Any, repair: bool, since: datetime | None, **options: Any) -> None:
        from stripe import StripeError  # see stripe/client.py

        self.seen: Counter[str] = Counter()
        try:
            remaining = reconcile(
                since=since or timezone.now() - timedelta(days=DAYS),
                repair=repair,
                report=self._say,
                looked_at=self._count,
            )
        except (StripeNotConfigured, StripeError) as error:
            raise CommandError(str(error), returncode=2) from error
        self._clear()
        counts = ", ".join(f"{number} {kind}" for kind, number in self.seen.items())
        self.stdout.write(f"looked at {counts or 'nothing'}: {len(remaining)} differences remain")
        if remaining:
            sys.exit(1)

    def _say(self, line: str) -> None:
        self._clear()
        self.stdout.write(line)

    def _count(self, kind: str) -> None:
        self.seen[kind] += 1
        if self.stderr.isatty():
            self.stderr.write(f"\r{kind}: {self.seen[kind]}\033[K", ending="")

    def _clear(self) -> None:
        if self.stderr.isatty():
            self.stderr.write("\r\033[K", ending="")
