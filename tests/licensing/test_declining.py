"""Who is invited says no: the link ends, nobody joins, and a new invitation is a new question."""

from __future__ import annotations

import pytest

from licensing.accepting import accept_invitation, decline_invitation
from licensing.models import Invitation, LicensedEntity, User
from licensing.party_locks import PartyRefused
from tests.licensing.parties import TOKEN, invitation_to, roles
from tests.people import make_user, signed_in

NEW = "nia@meridian.example"
LINK = f"/account/invitations/{TOKEN}/"


@pytest.fixture
def new(db: None) -> User:
    """Somebody who is a member of nothing."""
    return make_user(NEW)


def test_declined_on_its_page_it_makes_no_member_any_more(
    entity: LicensedEntity, owner: User, new: User
) -> None:
    invitation_to(entity, NEW, by=owner)
    client = signed_in(new)
    assert 'name="decline"' in client.get(LINK).text
    answer = client.post(LINK, {"decline": "yes"}, follow=True)
    assert answer.redirect_chain == [("/account/", 302)]
    assert "You declined the invitation of Meridian Labs GmbH." in answer.text
    for later in (client.get(LINK), client.post(LINK), client.post(LINK, {"decline": "yes"})):
        assert later.status_code == 410
        assert "declined or taken back" in later.text
    assert roles(entity) == {"ada": "owner"}
    assert "None is open." in signed_in(owner).get(entity.get_absolute_url()).text


def test_nobody_else_declines_it(entity: LicensedEntity, owner: User, outsider: User) -> None:
    invitation_to(entity, NEW, by=owner)
    assert signed_in(outsider).post(LINK, {"decline": "yes"}).status_code == 403
    assert Invitation.objects.get().revoked_at is None


def test_who_accepted_leaves_and_does_not_decline(
    entity: LicensedEntity, owner: User, new: User
) -> None:
    invitation_to(entity, NEW, by=owner)
    accept_invitation(token=TOKEN, account=new)
    with pytest.raises(PartyRefused, match="accepted already"):
        decline_invitation(token=TOKEN, account=new)
    assert roles(entity) == {"ada": "owner", "nia": "engineer"}


def test_who_declined_may_be_asked_again(entity: LicensedEntity, owner: User, new: User) -> None:
    invitation_to(entity, NEW, by=owner)
    decline_invitation(token=TOKEN, account=new)
    invitation_to(entity, NEW, by=owner, token="another")
    assert accept_invitation(token="another", account=new).role == "engineer"
