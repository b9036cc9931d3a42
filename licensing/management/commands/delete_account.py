import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from licensing.deleting import delete_account
from licensing.models import User
from licensing.party_locks import PartyRefused


class Command(BaseCommand):
    help = "Delete an account as its own page would; evidence of what it signed stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the account's e-mail address")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, email: str, yes: bool, **options: Any) -> None:
        account = User.objects.filter(email__iexact=email).first()
        if account is None:
            raise CommandError(f"no account has the address {email}")
        for member in account.memberships.select_related("entity"):
            self.stdout.write(f"{member.role} of {member.entity}")
        if account.is_staff:
            self.stdout.write("staff: the staff's log of what it did goes too")
        if not yes:
            _ask(email)
        try:
            delete_account(account=account)
        except PartyRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"deleted: account {account.pk}")


def _ask(email: str) -> None:
    if not sys.stdin.isatty():
        raise CommandError("there is nobody to ask: look at the list, then add --yes")
    if input("Deleting cannot be undone. Type the address again: ").strip() != email:
        raise CommandError("nothing was changed")
