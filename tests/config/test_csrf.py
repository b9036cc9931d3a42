"""A form of another site does nothing here, whoever is signed in."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from entitlements.models import Download, Purchase
from licensing.models import LicenceSignature, User
from tests.people import signed_in

ORIGIN = "http://127.0.0.1:8000"  # the store's own, and the only one that is trusted


def strict(user: User) -> Client:
    """A browser that is treated as browsers are, with somebody signed in."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    return client


def token_on(client: Client, page: str) -> str:
    """The token that a page puts into its forms."""
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(page).text)
    assert found is not None
    return found[1]


def actions(bought: Purchase) -> list[str]:
    page = f"/account/purchases/{bought.pk}/"
    return [
        "/packages/kimi-k3-8xb300/licence/",
        "/packages/kimi-k3-8xb300/buy/",
        f"{page}pay/",
        f"{page}1.0.0/link/",
        f"{page}terms/",
        f"/api/v1/kits/{bought.pk}/1.0.0/links/",
        "/accounts/logout/",
        "/accounts/email/",
        "/accounts/password/change/",
    ]


def test_nothing_is_done_without_a_token(bought: Purchase, owner: User) -> None:
    client = strict(owner)
    for path in actions(bought):
        assert client.post(path).status_code == 403, path
    assert Purchase.objects.count() == LicenceSignature.objects.count() == 1
    assert not Download.objects.exists()
    assert client.get("/account/").status_code == 200


def test_a_token_of_another_browser_does_nothing(
    bought: Purchase, owner: User, outsider: User
) -> None:
    foreign = token_on(strict(outsider), "/account/")
    client = strict(owner)
    client.get("/account/")
    for path in actions(bought):
        response = client.post(path, {"csrfmiddlewaretoken": foreign})
        # The API reads no forms at all.
        assert response.status_code == (415 if path.startswith("/api/") else 403), path
    assert not Download.objects.exists()


@pytest.mark.parametrize(("origin", "status"), [(ORIGIN, 200), ("https://evil.example", 403)])
def test_with_the_pages_own_token_the_origin_decides(
    bought: Purchase, owner: User, origin: str, status: int
) -> None:
    client = strict(owner)
    page = f"/account/purchases/{bought.pk}/"
    form = {"csrfmiddlewaretoken": token_on(client, page)}
    response = client.post(f"{page}1.0.0/link/", form, headers={"Origin": origin})
    assert response.status_code == status
    assert Download.objects.count() == (1 if status == 200 else 0)


def test_a_program_with_a_session_sends_the_token_as_a_header(
    bought: Purchase, owner: User
) -> None:
    client = strict(owner)
    token = token_on(client, "/account/")
    path = f"/api/v1/kits/{bought.pk}/1.0.0/links/"
    for sent, status in [("x" * 64, 403), (token, 201)]:
        response = client.post(path, headers={"X-CSRFToken": sent}, content_type="application/json")
        assert response.status_code == status


def test_nobody_is_signed_in_or_up_by_another_site(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    form = {"login": owner.email, "password": "a long pass phrase"}
    assert client.post("/accounts/login/", form).status_code == 403
    new = {"email": "new@x.example", "password1": "a long pass phrase"}
    assert client.post("/accounts/signup/", new).status_code == 403
    assert client.get("/account/").status_code == 302
    assert not EmailAddress.objects.filter(email="new@x.example").exists()


def test_the_providers_events_need_no_token_but_a_signature(db: None) -> None:
    response = Client(enforce_csrf_checks=True).post("/webhooks/stripe/", b"{}", "text/plain")
    assert response.status_code == 400


def test_no_get_changes_anything(bought: Purchase, owner: User) -> None:
    client = signed_in(owner)
    for path in actions(bought):
        client.get(path)
    assert Purchase.objects.count() == LicenceSignature.objects.count() == 1
    assert not Download.objects.exists()
    assert client.get("/account/").status_code == 200
