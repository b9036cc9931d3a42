"""Accepting an invitation, or declining it: by who confirmed the invited address, and once."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone

from licensing.inviting import digest_of
from licensing.models import Invitation, Member, User
from licensing.party_locks import CLOSED, PartyRefused, lock_account, lock_entity

UNKNOWN = "There is no such invitation. Its link may have been cut: copy all of it."
OVER = "This invitation was declined or taken back, or a newer one was sent."
ANOTHER = (
    "This invitation is for another e-mail address. Sign in with the account that has confirmed "
    "it, or confirm it for this account."
)


def find_invitation(*, token: str, account: User) -> Invitation:
    """The invitation of a link, for the account that it was sent to. Raises PartyRefused.

    Nobody else learns which entity invited whom.
    """
    found = (
        Invitation.objects.select_related("entity", "invited_by")
        .filter(token_sha256=digest_of(token))
        .first()
    )
    if found is None:
        raise PartyRefused(UNKNOWN, status=404)
    if not has_confirmed(account, found.email):
        raise PartyRefused(ANOTHER, status=403)
    return found


@transaction.atomic
def accept_invitation(*, token: str, account: User) -> Member:
    """Become a member in the offered role. Raises PartyRefused.

    A second press finds the first one's membership.
    """
    found = find_invitation(token=token, account=account)
    lock_entity(found.entity)
    if not lock_account(account):
        raise PartyRefused(CLOSED, status=403)
    # Read again: who waited for the lock finds it accepted, or revoked.
    invitation = Invitation.objects.select_related("invited_by").get(pk=found.pk)
    member = Member.objects.filter(entity=invitation.entity_id, user=account).first()
    if invitation.accepted_at is not None and member is not None:
        return member
    require_open(invitation)
    if member is not None:
        raise PartyRefused("You are a member already: an owner can change your role.")
    invitation.accepted_at, invitation.accepted_by = timezone.now(), account
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    return Member.objects.create(entity=found.entity, user=account, role=invitation.role)


@transaction.atomic
def decline_invitation(*, token: str, account: User) -> Invitation:
    """End an invitation as who was invited: its link does nothing more. Raises PartyRefused."""
    found = find_invitation(token=token, account=account)
    lock_entity(found.entity)
    invitation = Invitation.objects.select_related("invited_by").get(pk=found.pk)
    require_open(invitation)
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])
    return invitation


def require_open(invitation: Invitation) -> None:
    """Refuse what is used, revoked, expired, or of somebody who has no account any more."""
    if invitation.accepted_at is not None:
        raise PartyRefused("This invitation was accepted already.", status=410)
    if invitation.revoked_at is not None:
        raise PartyRefused(OVER, status=410)
    if invitation.is_expired:
        raise PartyRefused("This invitation has expired: ask for a new one.", status=410)
    if invitation.invited_by is None or not invitation.invited_by.is_active:
        raise PartyRefused("Who invited you has no account any more.", status=410)


def has_confirmed(account: User, email: str) -> bool:
    """Whether the account has confirmed this very address.

    Compared letter by letter: Postgres takes the upper case of both, where a Turkish dotless i
    is an i, and an address that only looks like the invited one would pass.
    """
    confirmed = EmailAddress.objects.filter(user=account, verified=True)
    return any(each.email.lower() == email.lower() for each in confirmed)
