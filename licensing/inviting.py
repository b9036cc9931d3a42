"""Inviting people to act for an entity, by a link that only the invited address can use."""

from __future__ import annotations

import hashlib
import logging
import secrets
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from licensing.access import has_verified_email
from licensing.models import Invitation, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused, lock_entity, require_owner

if TYPE_CHECKING:
    from django.db.models import QuerySet

logger = logging.getLogger(__name__)

DAILY = 20  # mails that one entity, or one person, may have sent to addresses of their choice


@transaction.atomic
def invite(*, account: User, entity: LicensedEntity, email: str, role: str) -> Invitation:
    """Offer a role to an address, as an owner, by mail after the commit. Raises PartyRefused.

    An open invitation to the same address is revoked: of two links the newer one works.
    """
    lock_entity(entity)
    require_owner(account, entity)
    email = email.strip().lower()
    if role not in Member.Role.values:
        raise PartyRefused("There is no such role.", status=400)
    if not has_verified_email(account):
        raise PartyRefused("Confirm your own e-mail address first.", status=403)
    if Member.objects.filter(entity=entity, user__email__iexact=email).exists():
        raise PartyRefused(f"{email} is a member already.")
    _require_moderation(account, entity)
    return _offer(account=account, entity=entity, email=email, role=role)


@transaction.atomic
def invite_owner(*, staff: User, entity: LicensedEntity, email: str) -> Invitation:
    """Offer an entity that has no member left to a new owner, as staff. Raises PartyRefused.

    While it has members, only they say who joins them.
    """
    lock_entity(entity)
    if not (staff.is_staff and staff.is_active):
        raise PartyRefused("Only staff may do this.", status=403)
    if Member.objects.filter(entity=entity).exists():
        raise PartyRefused("This entity has members: ask its owner.")
    return _offer(account=staff, entity=entity, email=email.strip().lower(), role=Member.Role.OWNER)


def _offer(*, account: User, entity: LicensedEntity, email: str, role: str) -> Invitation:
    now = timezone.now()
    open_invitations(entity).filter(email=email).update(revoked_at=now)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        entity=entity,
        email=email,
        role=role,
        token_sha256=digest_of(token),
        invited_by=account,
        created_at=now,
        expires_at=now + Invitation.LIFETIME,
    )
    transaction.on_commit(partial(_mail, invitation, token), robust=True)
    return invitation


@transaction.atomic
def revoke_invitation(*, account: User, entity: LicensedEntity, invitation: int) -> Invitation:
    """Take an open invitation back, as an owner: its link ends. Raises PartyRefused."""
    lock_entity(entity)
    require_owner(account, entity)
    found = open_invitations(entity).filter(pk=invitation).first()
    if found is None:
        raise PartyRefused("This invitation is no longer open.", status=404)
    found.revoked_at = timezone.now()
    found.save(update_fields=["revoked_at"])
    return found


def open_invitations(entity: LicensedEntity) -> QuerySet[Invitation]:
    """Invitations that were neither accepted nor revoked; some may have expired."""
    return Invitation.objects.filter(
        entity=entity, accepted_at__isnull=True, revoked_at__isnull=True
    )


def digest_of(token: str) -> str:
    """What is kept of a token: whoever reads the table cannot make a link of it."""
    return hashlib.sha256(token.encode()).hexdigest()


def _require_moderation(account: User, entity: LicensedEntity) -> None:
    sent = Invitation.objects.filter(
        Q(entity=entity) | Q(invited_by=account),
        created_at__gt=timezone.now() - timedelta(days=1),
    )
    if sent.count() >= DAILY:
        raise PartyRefused(f"No more than {DAILY} invitations a day: go on tomorrow.", status=429)


def _mail(invitation: Invitation, token: str) -> None:
    address = settings.SITE_URL + reverse("licensing:invitation", args=[token])
    try:
        send_mail(
            subject=f"Invitation to {invitation.entity.legal_name}",
            message=render_to_string(
                "licensing/mail/invitation.txt", {"invitation": invitation, "address": address}
            ),
            from_email=None,
            recipient_list=[invitation.email],
        )
    except Exception:
        # It is committed: the page shows that no mail went out, and the owner sends it again.
        logger.exception("the mail of invitation %s was not sent", invitation.pk)
        return
    Invitation.objects.filter(pk=invitation.pk).update(mailed_at=timezone.now())
