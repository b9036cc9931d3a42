"""The pages of an entity: what each member sees, forms that say what is wrong, bounded queries."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from licensing.models import Invitation, LicenceSignature, LicensedEntity, Member, User
from tests.licensing.parties import TOKEN, invitation_to, join, roles
from tests.people import make_user, signed_in

LINK = f"/account/invitations/{TOKEN}/"
DETAILS = {"legal_name": "Meridian SE", "country": "FR", "address": "Rue 1\r\nParis"}


@pytest.fixture
def page(entity: LicensedEntity) -> str:
    return entity.get_absolute_url()


def test_an_owner_sees_everybody_and_every_form(page: str, owner: User, team_mate: User) -> None:
    invitation_to(Member.objects.get(user=owner).entity, "nia@meridian.example", by=owner)
    text = signed_in(owner).get(page).text
    for seen in (
        "Tomas Reyes",
        "nia@meridian.example",
        "Send the invitation",
        "edit/",
        "transfer/",
    ):
        assert seen in text


def test_an_engineer_sees_everybody_and_may_leave(page: str, owner: User, team_mate: User) -> None:
    invitation_to(Member.objects.get(user=owner).entity, "nia@meridian.example", by=owner)
    client = signed_in(team_mate)
    text = client.get(page).text
    assert "Ada Okafor" in text
    for hidden in ("nia@meridian.example", "Send the invitation", "edit/", "/role/", "/remove/"):
        assert hidden not in text
    response = client.post(f"{page}leave/", follow=True)
    assert response.redirect_chain == [("/account/", 302)]
    assert "You left Meridian Labs GmbH" in response.text
    assert client.get(page).status_code == 404


def test_the_last_owner_reads_why_not(page: str, owner: User, team_mate: User) -> None:
    response = signed_in(owner).post(f"{page}leave/")
    assert response.status_code == 409
    assert "make somebody else an owner first" in response.text


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"email": "no address", "role": "signer"}, "Enter a valid email address"),
        ({"email": "", "role": "signer"}, "This field is required"),
        ({"email": "nia@meridian.example", "role": "root"}, "root is not one of the available"),
    ],
)
def test_an_invitation_says_what_is_wrong(
    page: str, owner: User, form: dict[str, str], error: str
) -> None:
    response = signed_in(owner).post(f"{page}invite/", form)
    assert response.status_code == 400
    assert "Nothing was stored yet" in response.text
    assert error in response.text
    assert not Invitation.objects.exists()


def test_a_role_says_what_is_wrong_beside_its_member(
    page: str, owner: User, team_mate: User
) -> None:
    path = f"{page}members/{team_mate.memberships.get().pk}/role/"
    response = signed_in(owner).post(path, {"role": "root"})
    assert response.status_code == 400
    assert response.text.count("<details open>") == 1
    assert "root is not one of the available" in response.text
    assert signed_in(owner).post(path, {"role": "signer"}).headers["Location"] == page
    assert roles(team_mate.memberships.get().entity)["tomas"] == "signer"


@pytest.mark.parametrize("number", [0, 2**63, 10**30])
def test_a_number_of_nobody_is_not_found(page: str, owner: User, number: int) -> None:
    for path in (
        f"members/{number}/role/",
        f"members/{number}/remove/",
        f"invited/{number}/revoke/",
    ):
        assert signed_in(owner).post(page + path, {"role": "signer"}).status_code == 404


def test_from_invitation_to_membership_in_the_browser(
    page: str, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        form = {"email": "nia@meridian.example", "role": "signer"}
        assert signed_in(owner).post(f"{page}invite/", form).headers["Location"] == page
    link = str(mail.outbox[0].body).partition("http://127.0.0.1:8000")[2].split()[0]
    client = signed_in(make_user("nia@meridian.example"))
    assert "Ada Okafor invites you to act for Meridian Labs GmbH" in client.get(link).text
    assert client.get(page).status_code == 404
    assert client.post(link).headers["Location"] == page
    assert "You act for it now" in client.get(page).text
    assert client.get(link).headers["Location"] == page
    assert client.post(link).headers["Location"] == page


def test_somebody_else_reads_nothing_of_the_invitation(
    entity: LicensedEntity, owner: User, outsider: User
) -> None:
    invitation_to(entity, "nia@meridian.example", by=owner)
    response = signed_in(outsider).get(LINK)
    assert response.status_code == 403
    assert "another e-mail address" in response.text
    assert "Meridian" not in response.text
    assert "nia@" not in response.text


def test_new_details_are_for_signatures_to_come(
    signature: LicenceSignature, page: str, owner: User
) -> None:
    client = signed_in(owner)
    response = client.post(f"{page}edit/", DETAILS | {"country": "XX", "address": " "})
    assert response.status_code == 400
    assert response.text.count('class="errorlist"') == 2
    assert client.post(f"{page}edit/", DETAILS).headers["Location"] == page
    assert "Meridian SE" in client.get(page).text
    kept = client.get(signature.get_absolute_url()).text
    assert "Meridian Labs GmbH, HRB 12345 DE, Hauptstrasse 1" in kept
    assert "Meridian SE" not in kept


def asked(user: User, page: str) -> int:
    client = signed_in(user)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200
    return len(queries)


def test_the_page_asks_as_often_for_many_members_as_for_one(
    entity: LicensedEntity, page: str, owner: User
) -> None:
    invitation_to(entity, "first@x.example", by=owner, token="first")
    few = asked(owner, page)
    for number in range(5):
        join(entity, f"m{number}@meridian.example", "engineer")
        invitation_to(entity, f"i{number}@x.example", by=owner, token=f"t{number}")
    assert asked(owner, page) == few <= 6
