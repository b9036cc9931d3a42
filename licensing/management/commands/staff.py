from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from licensing.models import User


class Command(BaseCommand):
    help = "Let an account be staff, in a group; or take it out of one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--join", metavar="GROUP", help="be staff with the rights of this group")
        which.add_argument("--leave", metavar="GROUP", help="have the rights of this group no more")

    @transaction.atomic
    def handle(self, *args: Any, email: str, **options: Any) -> None:
        user = User.objects.select_for_update().filter(email__iexact=email).first()
        if user is None:
            raise CommandError(f"email: there is no account {email}; it signs up first")
        name = options["join"] or options["leave"]
        group = Group.objects.filter(name=name).first()
        if group is None:
            known = ", ".join(Group.objects.order_by("name").values_list("name", flat=True))
            raise CommandError(f"group: there is no {name}; there is {known or 'none'}")
        if options["leave"]:
            user.groups.remove(group)
            # Without a group or another right there is nothing at /staff/ to see.
            rights = user.groups.exists() or user.user_permissions.exists() or user.is_superuser
            user.is_staff = user.is_staff and rights
        else:
            user.groups.add(group)
            user.is_staff = True
        user.save(update_fields=["is_staff"])
        state = "is staff" if user.is_staff else "is no staff"
        groups = ", ".join(user.groups.order_by("name").values_list("name", flat=True))
        self.stdout.write(f"{user.email} {state}, in {groups or 'no group'}")
