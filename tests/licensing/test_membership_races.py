"""Two people at once, each with a connection of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.db import transaction

from licensing.accepting import accept_invitation
from licensing.inviting import invite, revoke_invitation
from licensing.membership import change_role, leave, remove_member
from licensing.models import Invitation, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from tests.licensing.parties import TOKEN, invitation_to, join, roles
from tests.people import make_user
from tests.threads import Rival, at_once

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "nia@meridian.example"


def demoting(account: User, member: Member) -> Callable[[], object]:
    return partial(
        change_role, account=account, entity=member.entity, member=member.pk, role="engineer"
    )


def test_of_two_owners_who_demote_each_other_one_does(entity: LicensedEntity, owner: User) -> None:
    own, other = Member.objects.get(), join(entity, "olu@meridian.example", "owner")
    raised = at_once(demoting(owner, other), demoting(other.user, own))
    # The second is no owner any more when it is let in.
    assert [(type(each), getattr(each, "status", 0)) for each in raised] == [(PartyRefused, 403)]
    assert sorted(roles(entity).values()) == ["engineer", "owner"]


def test_of_two_owners_who_leave_at_once_one_stays(entity: LicensedEntity, owner: User) -> None:
    other = join(entity, "olu@meridian.example", "owner").user
    raised = at_once(*(partial(leave, account=who, entity=entity) for who in (owner, other)))
    assert [type(each) for each in raised] == [PartyRefused]
    assert list(roles(entity).values()) == ["owner"]


def test_an_order_of_somebody_who_is_removed_meanwhile_is_refused(
    entity: LicensedEntity, owner: User, team_mate: User
) -> None:
    other = join(entity, "olu@meridian.example", "owner")
    target = Member.objects.get(user=team_mate)
    with transaction.atomic():
        remove_member(account=owner, entity=entity, member=other.pk)
        rival = Rival(demoting(other.user, target))
        assert rival.is_waiting()
    [refusal] = rival.finish()
    assert isinstance(refusal, PartyRefused)
    assert refusal.status == 404


def test_one_invitation_pressed_twice_makes_one_member(entity: LicensedEntity, owner: User) -> None:
    user = make_user(NEW)
    invitation_to(entity, NEW, by=owner)
    accept = partial(accept_invitation, token=TOKEN, account=user)
    assert at_once(accept, accept, accept) == []
    assert roles(entity) == {"ada": "owner", "nia": "engineer"}


def test_accepted_and_taken_back_at_once_ends_one_way(entity: LicensedEntity, owner: User) -> None:
    user = make_user(NEW)
    offer = invitation_to(entity, NEW, by=owner)
    raised = at_once(
        partial(accept_invitation, token=TOKEN, account=user),
        partial(revoke_invitation, account=owner, entity=entity, invitation=offer.pk),
    )
    assert [type(each) for each in raised] == [PartyRefused]
    offer.refresh_from_db()
    assert (offer.accepted_at is None) is not (offer.revoked_at is None)
    assert ("nia" in roles(entity)) is (offer.accepted_at is not None)


def test_who_accepts_while_it_is_taken_back_waits_and_is_refused(
    entity: LicensedEntity, owner: User
) -> None:
    user = make_user(NEW)
    offer = invitation_to(entity, NEW, by=owner)
    with transaction.atomic():
        revoke_invitation(account=owner, entity=entity, invitation=offer.pk)
        rival = Rival(partial(accept_invitation, token=TOKEN, account=user))
        assert rival.is_waiting()
    [refusal] = rival.finish()
    assert isinstance(refusal, PartyRefused)
    assert roles(entity) == {"ada": "owner"}


def test_the_same_address_invited_twice_at_once_has_one_open_link(
    entity: LicensedEntity, owner: User
) -> None:
    send = partial(invite, account=owner, entity=entity, email=NEW, role="engineer")
    assert at_once(send, send) == []
    assert Invitation.objects.count() == 2
    assert Invitation.objects.filter(revoked_at=None).count() == 1
