"""An account that is deleted, by its page and by the command: what goes, what stays, who may."""

from __future__ import annotations

import io
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from entitlements.links import issue_link
from entitlements.models import Outbox, ProviderEvent, Purchase
from entitlements.outbox import enqueue, run_due
from licensing.deleting import delete_account
from licensing.models import Invitation, LicenceSignature, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from tests.entitlements.test_leaving import KITS, evidence, opens, refusal
from tests.licensing.parties import invitation_to, join
from tests.licensing.test_signing_steps import aged
from tests.people import make_user, signed_in

PAGE = "/account/delete/"


def pressed(client: Client, account: User) -> Any:
    """The answer to who typed the account's address and pressed."""
    return client.post(PAGE, {"address": account.email})


def test_deleting_a_user_leaves_the_entitlement_and_ends_sessions_and_links(
    bought: Purchase, owner: User, team_mate: User
) -> None:
    right: dict[str, Any] = {"entitlement": bought.entitlement, "version": bought.version}
    links = [f"/download/{issue_link(**right, member=who)}" for who in (team_mate, owner)]
    before, elsewhere = evidence(), signed_in(team_mate)
    assert pressed(signed_in(team_mate), team_mate).headers["Location"] == "/"
    assert evidence() | {"Download": []} == before | {"Download": []}
    assert elsewhere.get("/account/").headers["Location"].startswith("/accounts/login/")
    assert elsewhere.get(KITS).status_code == 403
    assert "no longer a member" in refusal(links[0])
    assert opens(links[1])
    assert [kit["open"] for kit in signed_in(owner).get(KITS).json()] == [True]
    form = {"login": team_mate.email, "password": "a long pass phrase"}
    assert Client().post("/accounts/login/", form).status_code == 200


def test_a_sole_owner_goes_and_the_entity_keeps_what_it_bought(
    bought: Purchase, owner: User
) -> None:
    before = evidence()
    delete_account(account=owner)
    assert evidence() == before
    signature = LicenceSignature.objects.get()
    assert (signature.signer_name, signature.account_email) == ("Ada Okafor", owner.email)
    assert not User.objects.exists()
    assert not EmailAddress.objects.exists()
    assert bought.entity.members.count() == 0
    bought.refresh_from_db()
    assert bought.state == "paid"


def test_an_entity_that_agreed_to_nothing_goes_with_its_only_member(
    entity: LicensedEntity, owner: User, outsider: User
) -> None:
    delete_account(account=owner)
    assert [each.legal_name for each in LicensedEntity.objects.all()] == ["Elsewhere AB"]


def test_the_only_owner_hands_over_before(
    entity: LicensedEntity, owner: User, team_mate: User
) -> None:
    client = signed_in(owner)
    page = client.get(PAGE)
    assert f'href="{entity.get_absolute_url()}"' in page.text
    assert "Delete the account" not in page.text
    refused = pressed(client, owner)
    assert refused.status_code == 409
    assert "its only owner" in refused.text
    assert Member.objects.filter(user=owner).exists()
    Member.objects.filter(user=team_mate).update(role=Member.Role.OWNER)
    assert pressed(client, owner).status_code == 302
    assert list(entity.members.values_list("user__email", flat=True)) == [team_mate.email]


def test_an_owner_whose_account_is_closed_is_no_heir(entity: LicensedEntity, owner: User) -> None:
    closed = join(entity, "olu@meridian.example", "owner").user
    User.objects.filter(pk=closed.pk).update(is_active=False)
    with pytest.raises(PartyRefused, match="Meridian Labs"):
        delete_account(account=owner)


@pytest.mark.parametrize("typed", ["", "ada", "otto@elsewhere.example"])
def test_nothing_goes_without_the_typed_address(owner: User, outsider: User, typed: str) -> None:
    response = signed_in(owner).post(PAGE, {"address": typed})
    assert response.status_code == 400
    assert User.objects.count() == 2


def test_an_old_login_shows_again_who_it_is(owner: User, settings: Any) -> None:
    client = aged(signed_in(owner), settings.SIGNING_RECENT_LOGIN + 1)
    asked = pressed(client, owner).headers["Location"]
    assert asked.startswith("/accounts/reauthenticate/")
    assert client.post(asked, {"password": "a guess"}).status_code == 200
    assert User.objects.filter(pk=owner.pk).exists()
    assert client.post(asked, {"password": "a long pass phrase"}).headers["Location"] == "/"
    assert not User.objects.filter(pk=owner.pk).exists()


def test_staff_is_deleted_by_the_command_alone(owner: User) -> None:
    User.objects.update(is_staff=True)
    assert pressed(signed_in(owner), owner).status_code == 403
    call_command("delete_account", owner.email.upper(), "--yes", stdout=io.StringIO())
    assert not User.objects.exists()


def test_the_command_asks_first_and_knows_whom(
    entity: LicensedEntity, owner: User, team_mate: User
) -> None:
    for arguments, why in [
        ([owner.email], "nobody to ask"),
        (["nobody@x.example", "--yes"], "no account has"),
        ([owner.email, "--yes"], "only owner"),
    ]:
        with pytest.raises(CommandError, match=why):
            call_command("delete_account", *arguments, stdout=io.StringIO())
    assert User.objects.count() == 2


def test_every_session_that_knows_the_person_ends_and_no_other(owner: User, outsider: User) -> None:
    signed_in(owner)
    Client().force_login(owner)
    stranger, other = Client(), signed_in(outsider)
    EmailAddress.objects.update(verified=False)
    # Half signed in: it waits for the address to be confirmed.
    stranger.post("/accounts/login/", {"login": owner.email, "password": "a long pass phrase"})
    assert Session.objects.count() == 4
    delete_account(account=owner)
    assert Session.objects.count() == 1
    assert other.get("/account/").status_code == 200


def test_invitations_to_and_from_the_person_end(
    entity: LicensedEntity, owner: User, outsider: User
) -> None:
    second = join(entity, "olu@meridian.example", "owner").user
    mine = invitation_to(entity, "nia@meridian.example", by=second, token="from")
    elsewhere = LicensedEntity.objects.get(legal_name="Elsewhere AB")
    invitation_to(elsewhere, second.email, by=outsider, token="received")
    delete_account(account=second)
    left = Invitation.objects.get()
    assert (left.pk, left.invited_by) == (mine.pk, None)
    assert left.revoked_at is not None


def test_who_only_claims_an_address_ends_nobodys_invitation(
    entity: LicensedEntity, owner: User
) -> None:
    offer = invitation_to(entity, "nia@meridian.example", by=owner)
    delete_account(account=make_user("nia@meridian.example", verified=False))
    offer.refresh_from_db()
    assert offer.revoked_at is None


def test_mail_that_waits_is_not_sent(
    bought: Purchase, owner: User, outsider: User, team_mate: User
) -> None:
    Member.objects.filter(user=team_mate).update(role=Member.Role.OWNER)
    enqueue("licence_signed", {"signature": str(bought.signature_id)})
    assert Outbox.objects.filter(done_at=None).count() == 2
    delete_account(account=owner)
    assert not Outbox.objects.exists()
    run_due()
    assert mail.outbox == []


def test_the_providers_events_keep_the_payment_and_lose_the_person(
    bought: Purchase, owner: User
) -> None:
    session = {"client_reference_id": str(bought.pk), "amount_total": 5, "id": "cs_1"}
    person = {"email": "ada@private.example", "name": "A. Okafor"}
    events: dict[str, Any] = {
        "evt_1": session | {"customer_details": person},
        "evt_2": {"id": "in_1", "lines": [{"customer_email": owner.email.upper(), "amount": 7}]},
        "evt_3": {"customer_email": "otto@elsewhere.example"},
    }
    for event_id, subject in events.items():
        ProviderEvent.objects.create(
            provider="stripe", event_id=event_id, payload={"data": {"object": subject}}
        )
    delete_account(account=owner)
    kept = {each.event_id: each.payload["data"]["object"] for each in ProviderEvent.objects.all()}
    assert kept["evt_1"] == session | {"customer_details": None}
    assert kept["evt_2"] == {"id": "in_1", "lines": [{"customer_email": None, "amount": 7}]}
    assert kept["evt_3"] == events["evt_3"]
