"""Members in every role, and invitations whose token the test knows."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from licensing.inviting import digest_of
from licensing.models import Invitation, LicensedEntity, Member, User
from tests.people import make_user

TOKEN = "t0ken-of-the-test"


def join(entity: LicensedEntity, email: str, role: str) -> Member:
    """A new account that is a member."""
    return Member.objects.create(entity=entity, user=make_user(email), role=role)


def invitation_to(
    entity: LicensedEntity, email: str, *, by: User, role: str = "engineer", token: str = TOKEN
) -> Invitation:
    """An open invitation, as an owner's form makes one."""
    return Invitation.objects.create(
        entity=entity,
        email=email,
        role=role,
        token_sha256=digest_of(token),
        invited_by=by,
        expires_at=timezone.now() + timedelta(days=7),
    )


def roles(entity: LicensedEntity) -> dict[str, str]:
    """Who is in the entity, and in which role."""
    rows = Member.objects.filter(entity=entity).values_list("user__email", "role")
    return {email.partition("@")[0]: role for email, role in rows}
