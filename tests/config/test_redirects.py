"""Nobody is led to another site, by an address or by a host that a request names."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.core import mail
from django.test import Client

from licensing.models import User
from tests.people import make_user, signed_in

LOGIN = {"login": "ada@meridian.example", "password": "a long pass phrase"}
ELSEWHERE = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "////evil.example",
    "https:evil.example",
    "https:///evil.example",
    "http://testserver@evil.example/",
    "http://testserver.evil.example/",
    "http:\\\\evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    " //evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "\x00//evil.example",
]


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_signing_in_leads_nowhere_else(owner: User, client: Client, wanted: str) -> None:
    response = client.post("/accounts/login/", LOGIN | {"next": wanted})
    assert (response.status_code, response.headers["Location"]) == (302, "/account/")


@pytest.mark.parametrize("wanted", ELSEWHERE)
@pytest.mark.parametrize("door", ["/accounts/login/", "/accounts/signup/"])
def test_whoever_is_signed_in_is_led_nowhere_else(owner: User, door: str, wanted: str) -> None:
    response = signed_in(owner).get(f"{door}?next={quote(wanted)}")
    assert (response.status_code, response.headers["Location"]) == (302, "/account/")


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_signing_out_leads_nowhere_else(owner: User, wanted: str) -> None:
    response = signed_in(owner).post("/accounts/logout/", {"next": wanted})
    assert (response.status_code, response.headers["Location"]) == (302, "/")


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_the_staffs_doors_lead_nowhere_else(db: None, wanted: str) -> None:
    browser = signed_in(make_user("sam@store.example", staff=True))
    response = browser.get(f"/staff/login/?next={quote(wanted)}")
    assert (response.status_code, response.headers["Location"]) == (302, "/staff/")
    answer = Client().get(f"/staff/login/?next={quote(wanted)}")
    assert answer.headers["Location"].startswith("/accounts/login/?")


def test_no_sign_in_page_carries_the_other_address_as_a_link(db: None, client: Client) -> None:
    for wanted in ELSEWHERE:
        page = client.get(f"/accounts/login/?next={quote(wanted)}").text
        assert re.findall(r'(?:href|action)="[^"]*evil', page) == []


def test_signing_in_leads_to_where_one_was_going(owner: User, client: Client) -> None:
    page = "/packages/kimi-k3-8xb300/licence/?a=1"
    response = client.post("/accounts/login/", LOGIN | {"next": page})
    assert response.headers["Location"] == page


def test_an_address_cannot_write_a_header(owner: User, client: Client) -> None:
    wanted = "/account/?x=\r\nSet-Cookie: stolen=1"
    response = client.post("/accounts/login/", LOGIN | {"next": wanted})
    assert response.status_code == 302
    assert "\n" not in response.headers["Location"]
    assert "stolen" not in client.cookies


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "a b", "x@testserver"])
@pytest.mark.parametrize("path", ["/", "/account/", "/api/v1/packages/", "/staff/", "/nowhere/"])
def test_a_request_for_another_host_is_refused(
    db: None, client: Client, host: str, path: str
) -> None:
    assert client.get(path, headers={"Host": host}).status_code == 400


def test_mail_carries_no_foreign_host(owner: User, client: Client) -> None:
    form = {"email": owner.email}
    refused = client.post("/accounts/password/reset/", form, headers={"Host": "evil.example"})
    assert (refused.status_code, mail.outbox) == (400, [])
    client.post("/accounts/password/reset/", form, headers={"X-Forwarded-Host": "evil.example"})
    assert re.findall(r"https?://([^/\s]+)", str(mail.outbox[0].body)) == ["testserver"]


def test_a_missing_slash_leads_to_the_same_store(client: Client, db: None) -> None:
    assert client.get("/account").headers["Location"] == "/account/"
    for path in ("//evil.example", "/%2fevil.example", "/%5cevil.example", "//evil.example/%2f.."):
        response = client.get(path)
        assert not response.headers.get("Location", "/").startswith(("//", "/\\", "http"))
