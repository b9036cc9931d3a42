"""An entity that lost its last member gets a new owner, by staff's invitation."""

from __future__ import annotations

import io
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.core.management import call_command
from django.core.management.base import CommandError

from licensing.accepting import accept_invitation
from licensing.models import Invitation, LicensedEntity, Member, User
from tests.licensing.parties import roles
from tests.people import make_user

NEW = "nia@meridian.example"
STAFF = "sam@store.example"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def staff(db: None) -> User:
    """Who answers for the store."""
    return make_user(STAFF, name="Sam Lund", staff=True)


def invite(entity: object, email: str = NEW, by: str = STAFF) -> None:
    call_command("invite_owner", str(entity), email, f"--by={by}", stdout=io.StringIO())


def test_who_is_invited_owns_an_entity_without_members(entity: LicensedEntity) -> None:
    Member.objects.all().delete()
    invite(entity.pk)
    [sent] = mail.outbox
    assert sent.to == [NEW]
    assert "Sam Lund invites you" in str(sent.body)
    token = str(sent.body).partition("/account/invitations/")[2].partition("/")[0]
    accept_invitation(token=token, account=make_user(NEW))
    assert roles(entity) == {"nia": "owner"}


def test_an_entity_with_members_is_theirs(entity: LicensedEntity, owner: User) -> None:
    with pytest.raises(CommandError, match="has members"):
        invite(entity.pk)
    assert not Invitation.objects.exists()


def test_only_staff_invites_and_only_to_what_is_there(entity: LicensedEntity, owner: User) -> None:
    Member.objects.all().delete()
    refused: list[tuple[tuple[Any, ...], str]] = [
        ((entity.pk, NEW, owner.email), "Only staff"),
        ((entity.pk, NEW, "no@x.example"), "no account"),
        ((uuid4(), NEW), "no entity"),
        ((entity.pk, "nia"), "no e-mail address"),
    ]
    for arguments, why in refused:
        with pytest.raises(CommandError, match=why):
            invite(*arguments)
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="Only staff"):
        invite(entity.pk)
    assert not Invitation.objects.exists()


def test_a_mail_that_does_not_go_out_is_told(
    entity: LicensedEntity, monkeypatch: pytest.MonkeyPatch
) -> None:
    Member.objects.all().delete()
    monkeypatch.setattr("licensing.inviting.send_mail", lambda **_: 1 / 0)
    with pytest.raises(CommandError, match="did not go out"):
        invite(entity.pk)
