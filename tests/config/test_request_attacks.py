"""Requests made by hand: broken encodings, smuggled headers, foreign hosts, fixed sessions."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from catalog.models import PackageVersion
from licensing.models import LicenceTerms, LicensedEntity, User
from tests.people import signed_in

FORM = "application/x-www-form-urlencoded"
LOGIN, PHRASE = "/accounts/login/", "a long pass phrase"


def strict() -> Client:
    """A browser without a session, against a store that checks CSRF and shows its error pages."""
    return Client(enforce_csrf_checks=True, raise_request_exception=False)


def posted(path: str, content_type: str, body: bytes) -> Any:
    """The answer to a form sent as these bytes by who has the page's cookie."""
    browser = strict()
    browser.get(path)
    return browser.generic("POST", path, body, content_type)


@pytest.mark.parametrize("path", [LOGIN, "/accounts/signup/", "/accounts/password/reset/"])
@pytest.mark.parametrize("charset", ["utf-16", "utf-7", "latin-1", "cp037"])
def test_a_form_in_another_encoding_is_400(db: None, path: str, charset: str) -> None:
    response = posted(path, f"{FORM}; charset={charset}", b"a=b")
    assert response.status_code == 400
    assert "The request was not understood" in response.content.decode()


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (f"{FORM}; charset=no-such", b"a=b"),
        (FORM, b"&".join(b"f%d=1" % each for each in range(1500))),
        (FORM, b"login=" + b"x" * 3_000_000),
        (FORM, b"login=%ff%fe&password=%00"),
        ("multipart/form-data", b"x"),
        (f"multipart/form-data; boundary={'x' * 300}", b"x"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a'),
        ("application/json", b'{"login": 1}'),
    ],
)
def test_a_broken_form_is_refused_by_name_of_a_rule(
    db: None, content_type: str, body: bytes
) -> None:
    assert posted(LOGIN, content_type, body).status_code in {400, 403}


@pytest.mark.parametrize("version", ["%00", "%0d%0aSet-Cookie:%20a=b", "2", "%22;%20x=%22"])
def test_the_schema_lets_nobody_write_a_header(db: None, version: str) -> None:
    response = strict().get(f"/api/v1/schema/?version={version}")
    assert response.status_code == 200
    assert response["Content-Disposition"] == 'inline; filename="Touchstone.yaml"'


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1@evil.example", "localhost.evil"])
def test_a_foreign_host_is_refused(db: None, host: str) -> None:
    assert strict().get(LOGIN, headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["evil.example", "localhost"])
def test_a_forwarded_host_is_not_believed(published: PackageVersion, host: str) -> None:
    card = strict().get("/packages/kimi-k3-8xb300/card.json", headers={"X-Forwarded-Host": host})
    assert card.json()["package_url"].startswith(django_settings.SITE_URL)


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_leads_nowhere_else(owner: User, target: str) -> None:
    answer = {"login": owner.email, "password": PHRASE, "next": target}
    response = Client().post(f"{LOGIN}?next={target}", answer)
    assert response.headers["Location"] == "/account/"


def test_a_session_that_was_planted_does_not_become_the_buyers(owner: User) -> None:
    browser = Client()
    browser.cookies["sessionid"] = planted = "a" * 32
    browser.post(LOGIN, {"login": owner.email, "password": PHRASE})
    assert browser.get("/account/").status_code == 200
    assert browser.cookies["sessionid"].value != planted
    other = Client()
    other.cookies["sessionid"] = planted
    assert other.get("/account/").status_code == 302


@pytest.mark.parametrize(
    "path",
    [
        "/packages/kimi-k3-8xb300/licence/",
        "/packages/kimi-k3-8xb300/buy/",
        "/account/purchases/00000000-0000-4000-8000-000000000000/pay/",
        "/account/purchases/00000000-0000-4000-8000-000000000000/1.0.0/link/",
        "/api/v1/kits/00000000-0000-4000-8000-000000000000/1.0.0/links/",
        "/accounts/logout/",
    ],
)
def test_no_form_is_taken_from_another_site(
    owner: User, entity: LicensedEntity, terms: LicenceTerms, path: str
) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    response = browser.post(path, {}, headers={"Origin": "https://evil.example"})
    assert response.status_code == 403


@pytest.mark.parametrize("path", ["/staff/", "/staff/licensing/user/", "/staff/jsi18n/"])
def test_a_buyer_is_not_staff(owner: User, path: str) -> None:
    answer: Any = signed_in(owner).get(path)
    assert answer.status_code in {302, 403, 404}
    if answer.status_code == 302:
        assert signed_in(owner).get(answer.headers["Location"]).status_code in {302, 403}


def test_an_error_page_tells_nothing_of_the_store(db: None) -> None:
    page = strict().get("/no-such-page/", headers={"Accept": "text/html"}).content.decode()
    assert "Traceback" not in page
    assert "urlpatterns" not in page
    assert str(django_settings.BASE_DIR) not in page
