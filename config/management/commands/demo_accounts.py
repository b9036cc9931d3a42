from __future__ import annotations

import json
import os
import secrets
from typing import TYPE_CHECKING, Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction

from licensing.models import User

if TYPE_CHECKING:
    from pathlib import Path

ROLES: dict[str, dict[str, Any]] = {
    "staff": {
        "email": "staff@touchstone.example",
        "name": "Sam Staff",
        "is_staff": True,
        "is_superuser": True,
    },
    "buyer": {"email": "buyer@northwind.example", "name": "Bea Buyer"},
}
PASSWORD_BYTES = 12


class Command(BaseCommand):
    help = (
        "Make the demo's accounts: one of staff, one buyer whose address is verified. Their random "
        "passwords lie in DATA_DIR/demo-accounts.json and stay as they are when run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        file = settings.DATA_DIR / "demo-accounts.json"
        accounts = self._accounts(file)
        # Written before the accounts are: a password that nobody can read is of no use.
        self._write(file, accounts)
        with transaction.atomic():
            for role, account in accounts.items():
                ensure_account(password=account["password"], **ROLES[role])
        for role, account in accounts.items():
            self.stdout.write(f"{role}: {account['email']}")

    def _accounts(self, file: Path) -> dict[str, dict[str, str]]:
        kept = json.loads(file.read_text()) if file.exists() else {}
        return {
            role: kept.get(role)
            or {"email": fields["email"], "password": secrets.token_urlsafe(PASSWORD_BYTES)}
            for role, fields in ROLES.items()
        }

    def _write(self, file: Path, accounts: dict[str, dict[str, str]]) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
            json.dump(accounts, output, indent=2)
        fresh.replace(file)


def ensure_account(*, email: str, password: str, **fields: Any) -> User:
    """Make an account with a verified address, or give the one that exists this password.

    A password that is right already is left alone: setting it anew would end its sessions.
    """
    user = User.objects.filter(email__iexact=email).first()
    if user is None:
        user = User.objects.create_user(email, password, **fields)
    elif not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    EmailAddress.objects.update_or_create(
        user=user, email=user.email, defaults={"verified": True, "primary": True}
    )
    return user
