"""Who goes keeps no way in, and takes no evidence along."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from entitlements.links import issue_link
from entitlements.models import BuyerReceipt, Download, Entitlement, Payment, Purchase
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from receipts.append_only import AppendOnly
from tests.people import make_user, signed_in

PASSWORD = "a long pass phrase"
KITS = "/api/v1/kits/"


@pytest.fixture
def link(bought: Purchase, team_mate: User) -> str:
    """The path of a fresh link of the engineer's."""
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=team_mate)
    return f"/download/{token}"


def refusal(link: str) -> str:
    response = Client().get(link)
    assert response.status_code == 403
    return response.text


def opens(link: str) -> bool:
    response: Any = Client().get(link)
    return response.status_code == 200 and len(response.getvalue()) > 1000


def evidence() -> dict[str, list[Any]]:
    """Every row of what must stay."""
    kept: tuple[type[AppendOnly], ...] = (
        LicenceSignature,
        Payment,
        Entitlement,
        BuyerReceipt,
        Download,
    )
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in kept}


def test_a_deleted_account_leaves_all_evidence(bought: Purchase, owner: User) -> None:
    issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    before, number = evidence(), owner.pk
    owner.delete()
    assert evidence() == before
    assert all(before.values())
    signature = LicenceSignature.objects.get()
    assert (signature.account_id, signature.account_email) == (number, "ada@meridian.example")
    bought.refresh_from_db()
    assert (bought.buyer, bought.state) == (None, "paid")
    assert not Member.objects.filter(entity=bought.entity).exists()


def test_after_the_buyer_is_gone_a_team_mate_still_downloads(
    bought: Purchase, owner: User, team_mate: User, link: str
) -> None:
    Member.objects.filter(user=team_mate).update(role=Member.Role.OWNER)
    owner.delete()
    assert opens(link)
    client = signed_in(User.objects.get())
    assert [kit["open"] for kit in client.get(KITS).json()] == [True]
    page = client.get(LicenceSignature.objects.get().get_absolute_url())
    assert "Ada Okafor" in page.text


def test_a_deleted_accounts_links_and_sessions_end(
    bought: Purchase, team_mate: User, link: str
) -> None:
    browser = signed_in(team_mate)
    assert browser.get("/account/").status_code == 200
    team_mate.delete()
    assert "no longer a member" in refusal(link)
    assert browser.get("/account/").headers["Location"].startswith("/accounts/login/")
    assert browser.get(KITS).status_code == 403


def test_a_new_account_under_the_old_address_is_nobody(
    bought: Purchase, team_mate: User, link: str
) -> None:
    address = team_mate.email
    team_mate.delete()
    client = signed_in(make_user(address))
    assert client.get(KITS).json() == []
    assert client.get(f"/account/purchases/{bought.pk}/").status_code == 404
    assert "no longer a member" in refusal(link)


def test_who_leaves_the_entity_loses_all_at_once(
    bought: Purchase, team_mate: User, link: str
) -> None:
    browser, page = signed_in(team_mate), f"/account/purchases/{bought.pk}/"
    assert browser.get(page).status_code == 200
    Member.objects.get(user=team_mate).delete()
    assert "no longer a member" in refusal(link)
    assert browser.get(page).status_code == 404
    assert browser.post(f"{page}1.0.0/link/").status_code == 404
    assert browser.post(f"/api/v1/kits/{bought.pk}/1.0.0/links/").status_code == 404
    assert browser.get(bought.signature.get_absolute_url()).status_code == 404
    assert browser.get(KITS).json() == []


def test_who_comes_back_has_a_right_to_the_same_link(
    bought: Purchase, team_mate: User, link: str
) -> None:
    Member.objects.get(user=team_mate).delete()
    assert "no longer a member" in refusal(link)
    Member.objects.create(entity=bought.entity, user=team_mate, role=Member.Role.ENGINEER)
    assert opens(link)


def test_membership_of_another_entity_is_no_membership(
    bought: Purchase, team_mate: User, link: str, outsider: User
) -> None:
    Member.objects.filter(user=team_mate).update(
        entity=LicensedEntity.objects.get(members__user=outsider)
    )
    assert "no longer a member" in refusal(link)


def test_a_deactivated_account_is_signed_out_and_stays_out(
    bought: Purchase, team_mate: User, link: str
) -> None:
    browser = signed_in(team_mate)
    User.objects.filter(pk=team_mate.pk).update(is_active=False)
    assert browser.get("/account/").headers["Location"].startswith("/accounts/login/")
    assert browser.get(KITS).status_code == 403
    assert "no longer a member" in refusal(link)
    form = {"login": team_mate.email, "password": PASSWORD}
    assert browser.post("/accounts/login/", form).headers["Location"] == "/accounts/inactive/"
    assert browser.get("/account/").status_code == 302


def test_deactivated_staff_is_out_of_the_staffs_site(db: None) -> None:
    staff = make_user("sam@store.example", staff=True)
    browser = signed_in(staff)
    assert browser.get("/staff/").status_code == 200
    User.objects.update(is_active=False)
    assert browser.get("/staff/").headers["Location"].startswith("/staff/login/")


def test_a_new_password_ends_every_other_session(owner: User) -> None:
    mine, stolen = signed_in(owner), signed_in(owner)
    form = {"oldpassword": PASSWORD} | dict.fromkeys(("password1", "password2"), "another phrase")
    assert mine.post("/accounts/password/change/", form).status_code == 302
    assert mine.get("/account/").status_code == 200
    assert stolen.get("/account/").status_code == 302


def test_signing_out_ends_the_session_for_whoever_kept_its_cookie(owner: User) -> None:
    mine, stolen = signed_in(owner), Client()
    stolen.cookies = mine.cookies.copy()  # type: ignore[assignment]  # a dict's copy of its type
    assert stolen.get("/account/").status_code == 200
    mine.post("/accounts/logout/")
    assert stolen.get("/account/").status_code == 302


def test_who_is_no_longer_owner_signs_no_more(
    published: Any, terms: LicenceTerms, entity: LicensedEntity, owner: User
) -> None:
    browser = signed_in(owner)
    Member.objects.create(
        entity=entity, user=make_user("next@meridian.example"), role=Member.Role.OWNER
    )
    Member.objects.filter(user=owner).update(role=Member.Role.ENGINEER)
    marks = ("authority", "redistribution", "resale", "traceability", "responsibility", "consent")
    form = {
        "terms_sha256": terms.sha256,
        "entity": str(entity.pk),
        "signer_name": "Ada Okafor",
        "signer_title": f"CTO until {timezone.now():%Y}",
    }
    page = "/packages/kimi-k3-8xb300/licence/"
    assert browser.post(page, form | dict.fromkeys(marks, "on")).status_code == 400
    assert not LicenceSignature.objects.exists()
