from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError

from licensing.models import User


class Command(BaseCommand):
    help = "Take away an account's second factor, for a person who lost it and its codes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the account's e-mail address")

    def handle(self, *args: Any, email: str, **options: Any) -> None:
        account = User.objects.filter(email__iexact=email).first()
        if account is None:
            raise CommandError(f"no account has the address {email}")
        removed, _ = Authenticator.objects.filter(user=account).delete()
        if not removed:
            raise CommandError(f"{account.email} has no second factor")
        self.stdout.write(f"removed: {account.email} signs in with the password alone")
