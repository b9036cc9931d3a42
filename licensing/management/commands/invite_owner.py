from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from licensing.inviting import invite_owner
from licensing.models import LicensedEntity, User
from licensing.party_locks import PartyRefused


class Command(BaseCommand):
    help = "Invite a new owner, by mail, to an entity whose last member is gone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("entity", type=UUID, help="its id, as at /staff/")
        parser.add_argument("email", help="whom to invite")
        parser.add_argument("--by", required=True, help="the staff's address; the mail names them")

    def handle(self, *args: Any, entity: UUID, email: str, by: str, **options: Any) -> None:
        found = LicensedEntity.objects.filter(pk=entity).first()
        staff = User.objects.filter(email__iexact=by).first()
        if found is None:
            raise CommandError(f"no entity has the id {entity}")
        if staff is None:
            raise CommandError(f"no account has the address {by}")
        try:
            validate_email(email)
            invitation = invite_owner(staff=staff, entity=found, email=email)
        except ValidationError:
            raise CommandError(f"{email} is no e-mail address") from None
        except PartyRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        invitation.refresh_from_db()
        if invitation.mailed_at is None:
            raise CommandError("the mail did not go out, the log says why: mend it, invite again")
        self.stdout.write(f"invited: {invitation.email}, to own {found}")
