"""Deleting an account: what names the person goes, and what they agreed to stays as it is."""

from __future__ import annotations

import json
import logging
from contextlib import suppress

from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, ProtectedError, Q

from licensing.membership import end_membership, has_other_members, has_other_owner
from licensing.models import Invitation, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from licensing.signals import account_deleting

logger = logging.getLogger(__name__)

HAND_OVER = "Others act for {} too, and you are its only owner: make one of them an owner first."
CHANGED = "Your memberships changed just now, so nothing was deleted. Look at them and try again."


@transaction.atomic
def delete_account(*, account: User) -> None:
    """Remove an account with all that names its person, but for evidence. Raises PartyRefused.

    Sessions, memberships, invitations, second factors and mail that is not sent end with it.
    An entity without members stays where it has signed; else it goes too.
    """
    locked = _lock_entities(account)
    # Race: who signs or joins an entity holds this row too (lock_account).
    found = User.objects.select_for_update().filter(pk=account.pk).first()
    if found is None:
        return
    members = list(found.memberships.select_related("entity").order_by("entity_id"))
    if {each.entity_id for each in members} - {each.pk for each in locked}:
        raise PartyRefused(CHANGED)
    if blocked := entities_to_hand_over(found):
        raise PartyRefused(HAND_OVER.format(blocked[0]))
    addresses = addresses_of(found)
    account_deleting.send(User, account=found, addresses=addresses)
    for each in members:
        end_membership(each)
    _forget_invitations(found)
    _end_sessions(found, addresses)
    _forget_desk_log(found)
    number = found.pk
    found.delete()
    _remove_empty(locked)
    logger.info("account %s was deleted", number)


def entities_to_hand_over(account: User) -> list[LicensedEntity]:
    """The entities that would be left to their other members without an owner."""
    owned = account.memberships.filter(role=Member.Role.OWNER).select_related("entity")
    return [each.entity for each in owned if has_other_members(each) and not has_other_owner(each)]


def addresses_of(account: User) -> set[str]:
    """The account's e-mail addresses in lower case, confirmed or not."""
    more = EmailAddress.objects.filter(user=account).values_list("email", flat=True)
    return {each.lower() for each in (account.email, *more)}


def _lock_entities(account: User) -> list[LicensedEntity]:
    # In one order for everybody: two who go at once do not wait for each other.
    joined = account.memberships.values("entity_id")
    entities = LicensedEntity.objects.select_for_update(no_key=True).filter(pk__in=joined)
    return list(entities.order_by("pk"))


def _forget_invitations(account: User) -> None:
    # Confirmed addresses alone: who only claims one must not end somebody else's invitations.
    confirmed = EmailAddress.objects.filter(user=account, verified=True)
    own = {each.email.lower() for each in confirmed}
    Invitation.objects.filter(Q(email__in=own) | Q(accepted_by=account)).delete()


def _end_sessions(account: User, addresses: set[str]) -> None:
    """End each session that is the account's, or that knows one of its addresses."""
    for session in Session.objects.iterator():
        data = session.get_decoded()
        text = json.dumps(data, default=str, ensure_ascii=False).lower()
        if data.get(SESSION_KEY) == str(account.pk) or any(each in text for each in addresses):
            session.delete()


def _forget_desk_log(account: User) -> None:
    # The staff's log calls an address by itself.
    numbers = EmailAddress.objects.filter(user=account).values_list("pk", flat=True)
    kind = ContentType.objects.get_for_model(EmailAddress)
    told = LogEntry.objects.filter(content_type=kind, object_id__in=[str(pk) for pk in numbers])
    told.update(object_repr="[deleted]", change_message="")


def _remove_empty(entities: list[LicensedEntity]) -> None:
    member = Member.objects.filter(entity=OuterRef("pk"))
    pks = [each.pk for each in entities]
    for each in LicensedEntity.objects.filter(~Exists(member), pk__in=pks):
        # Protected is what it signed or bought, and the entity with it.
        with suppress(ProtectedError):
            each.delete()
