"""Invitations: a mail whose link makes a member of the invited address alone, once, in time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from licensing.accepting import accept_invitation, find_invitation, has_confirmed
from licensing.inviting import DAILY, digest_of, invite, revoke_invitation
from licensing.membership import change_role, leave, remove_member, transfer_ownership
from licensing.models import Invitation, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from tests.licensing.parties import TOKEN, invitation_to, join, roles
from tests.people import make_user

NEW = "nia@meridian.example"


@pytest.fixture
def new(db: None) -> User:
    """Somebody who is a member of nothing."""
    return make_user(NEW)


def status_of(act: Any, **arguments: Any) -> int:
    with pytest.raises(PartyRefused) as refused:
        act(**arguments)
    return refused.value.status


def test_the_mailed_link_makes_a_member(
    entity: LicensedEntity, owner: User, new: User, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        invite(account=owner, entity=entity, email=f" {NEW.upper()} ", role="signer")
    [sent] = mail.outbox
    assert sent.to == [NEW]
    assert "Ada Okafor invites you to act for Meridian Labs GmbH" in str(sent.body)
    token = str(sent.body).partition("/account/invitations/")[2].partition("/")[0]
    kept = Invitation.objects.get()
    assert kept.mailed_at is not None
    assert token not in str(Invitation.objects.values().get())
    assert kept.token_sha256 == digest_of(token)
    assert accept_invitation(token=token, account=new).role == "signer"
    kept.refresh_from_db()
    assert kept.accepted_by == new
    assert kept.accepted_at is not None


def test_a_mail_that_fails_breaks_nothing_and_shows(
    entity: LicensedEntity,
    owner: User,
    settings: Any,
    django_capture_on_commit_callbacks: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.EMAIL_BACKEND = "no.such.backend"
    with django_capture_on_commit_callbacks(execute=True):
        invite(account=owner, entity=entity, email=NEW, role="engineer")
    assert Invitation.objects.get().mailed_at is None
    assert "was not sent" in caplog.text


def test_no_mail_goes_out_before_the_commit(entity: LicensedEntity, owner: User) -> None:
    invite(account=owner, entity=entity, email=NEW, role="engineer")
    assert mail.outbox == []


@pytest.mark.parametrize(
    "change",
    [
        {"revoked_at": timezone.now()},
        {"expires_at": timezone.now()},
        {"accepted_at": timezone.now()},
        {"invited_by": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_over_makes_no_member(
    entity: LicensedEntity, owner: User, new: User, change: dict[str, Any]
) -> None:
    invitation_to(entity, NEW, by=owner)
    Invitation.objects.update(**change)
    assert status_of(accept_invitation, token=TOKEN, account=new) == 410
    assert roles(entity) == {"ada": "owner"}


def test_it_lives_for_seven_days(entity: LicensedEntity, owner: User) -> None:
    made = invite(account=owner, entity=entity, email=NEW, role="engineer")
    assert made.expires_at - made.created_at == timedelta(days=7)


@pytest.mark.parametrize("act", [accept_invitation, find_invitation])
def test_another_account_learns_nothing(
    entity: LicensedEntity, owner: User, outsider: User, act: Any
) -> None:
    invitation_to(entity, NEW, by=owner)
    assert status_of(act, token=TOKEN, account=outsider) == 403
    assert status_of(act, token=TOKEN + "x", account=outsider) == 404
    assert roles(entity) == {"ada": "owner"}


def test_an_address_that_is_not_confirmed_is_not_theirs(
    entity: LicensedEntity, owner: User
) -> None:
    invitation_to(entity, NEW, by=owner)
    user = make_user(NEW, verified=False)
    assert status_of(accept_invitation, token=TOKEN, account=user) == 403
    EmailAddress.objects.filter(user=user).update(verified=True)
    assert accept_invitation(token=TOKEN, account=user).role == "engineer"


def test_an_address_that_only_looks_alike_is_another(new: User) -> None:
    like = make_user("n\N{LATIN SMALL LETTER DOTLESS I}a@meridian.example")
    # Postgres itself would say that they are the same.
    assert EmailAddress.objects.filter(email__iexact=NEW).count() == 2
    assert has_confirmed(new, NEW.upper())
    assert not has_confirmed(like, NEW)


def test_of_two_invitations_the_newer_one_works(
    entity: LicensedEntity, owner: User, new: User
) -> None:
    invitation_to(entity, NEW, by=owner)
    invite(account=owner, entity=entity, email=NEW, role="signer")
    assert status_of(accept_invitation, token=TOKEN, account=new) == 410
    assert Invitation.objects.filter(revoked_at=None).get().role == "signer"


def test_who_is_a_member_is_not_invited_and_does_not_change_role(
    entity: LicensedEntity, owner: User, team_mate: User
) -> None:
    assert (
        status_of(invite, account=owner, entity=entity, email=team_mate.email.upper(), role="owner")
        == 409
    )
    invitation_to(entity, team_mate.email, by=owner, role="owner")
    assert status_of(accept_invitation, token=TOKEN, account=team_mate) == 409
    assert roles(entity)["tomas"] == "engineer"


def test_a_member_who_left_does_not_come_back_by_the_old_link(
    entity: LicensedEntity, owner: User, new: User
) -> None:
    invitation_to(entity, NEW, by=owner)
    accept_invitation(token=TOKEN, account=new)
    leave(account=new, entity=entity)
    assert status_of(accept_invitation, token=TOKEN, account=new) == 410


@pytest.mark.parametrize("way", ["demoted", "removed", "left", "handed over"])
def test_the_offers_of_a_former_owner_end(
    entity: LicensedEntity, owner: User, new: User, way: str
) -> None:
    second = join(entity, "olu@meridian.example", "owner")
    invitation_to(entity, NEW, by=second.user, role="owner")
    if way == "demoted":
        change_role(account=owner, entity=entity, member=second.pk, role="engineer")
    elif way == "removed":
        remove_member(account=owner, entity=entity, member=second.pk)
    elif way == "left":
        leave(account=second.user, entity=entity)
    else:
        heir = Member.objects.get(user=owner)
        transfer_ownership(account=second.user, entity=entity, member=heir.pk)
    assert status_of(accept_invitation, token=TOKEN, account=new) == 410


def test_a_revoked_invitation_is_not_revoked_again(entity: LicensedEntity, owner: User) -> None:
    made = invitation_to(entity, NEW, by=owner)
    revoke_invitation(account=owner, entity=entity, invitation=made.pk)
    assert status_of(revoke_invitation, account=owner, entity=entity, invitation=made.pk) == 404


def test_nobody_sends_mail_without_end(entity: LicensedEntity, owner: User) -> None:
    for number in range(DAILY):
        invite(account=owner, entity=entity, email=f"p{number}@x.example", role="engineer")
    arguments: dict[str, Any] = {
        "account": owner,
        "entity": entity,
        "email": NEW,
        "role": "engineer",
    }
    assert status_of(invite, **arguments) == 429
    Invitation.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert invite(**arguments).email == NEW


def test_who_is_not_confirmed_invites_nobody(entity: LicensedEntity, owner: User) -> None:
    EmailAddress.objects.update(verified=False)
    assert status_of(invite, account=owner, entity=entity, email=NEW, role="signer") == 403
