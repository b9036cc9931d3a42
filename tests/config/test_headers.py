"""What every answer tells browsers and caches."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from catalog.models import PackageVersion
from entitlements.models import Purchase
from licensing.models import LicenceTerms, LicensedEntity, User
from tests.catalog.reading import policy
from tests.people import make_user, signed_in
from tests.shop import sign

CARD = "packages/<slug:slug>/card/"
# What is the same for everybody, and may be kept by anybody.
SHARED = {
    ".well-known/touchstone/keys.json",
    ".well-known/jwks.json",
    CARD,
    "packages/<slug:slug>/card.json",
    "packages/<slug:slug>/<version:version>/receipt.json",
    "packages/<slug:slug>/<version:version>/receipt.sigstore.json",
    "^receipts/(?P<payload_sha256>[0-9a-f]{64})/receipt\\.pdf$",
    "licences/<slug:family>-<version:version>.txt",
}
# Neither reads the session; a shared cache does nobody harm.
SILENT = {"favicon.ico", "webhooks/stripe/"}


def answer(client: Client, path: str) -> Any:
    response: Any = client.get(path)
    if response.streaming:
        response.getvalue()
    return response


def require_safe_policy(response: Any, *, framed_by: str = "'none'") -> None:
    """A policy that runs nothing but the store's own files, and the headers beside it."""
    rules = policy(response)
    assert rules["default-src"] == rules["base-uri"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == framed_by
    assert rules["form-action"] == "'self' https://checkout.stripe.com https://billing.stripe.com"
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response.headers.get("X-Frame-Options") == (None if framed_by == "*" else "DENY")


def test_every_address_carries_the_policy(addresses: dict[str, str], owner: User) -> None:
    for client in (signed_in(owner), Client()):
        for route, path in addresses.items():
            framed_by = "*" if route == CARD else "'none'"
            require_safe_policy(answer(client, path), framed_by=framed_by)


def test_only_what_is_the_same_for_all_may_be_kept_by_a_shared_cache(
    addresses: dict[str, str], owner: User
) -> None:
    client = signed_in(owner)
    said = {
        route: answer(client, path).headers.get("Cache-Control", "")
        for route, path in addresses.items()
    }
    assert {route for route in said if "public" in said[route]} == SHARED
    rest = set(said) - SHARED - SILENT
    kept_apart = ("private", "no-store")
    assert {route for route in rest if not any(w in said[route] for w in kept_apart)} == set()


def test_no_cache_at_all_keeps_what_the_account_shows(
    addresses: dict[str, str], owner: User
) -> None:
    client = signed_in(owner)
    own = ("account/", "accounts/", "api/v1/kits/", "download/", "packages/<slug:slug>/licence/")
    for route, path in addresses.items():
        if route.startswith(own):
            for response in (answer(client, path), client.post(path)):
                if route != "download/<str:token>" or response.status_code == 200:
                    assert "no-store" in response.headers["Cache-Control"], route


@pytest.fixture
def private_pages(
    bought: Purchase,
    owner: User,
    published: PackageVersion,
    entity: LicensedEntity,
    terms: LicenceTerms,
) -> list[Any]:
    """The pages of an account, with all that they show."""
    unused = sign(account=owner, version=published, entity=entity, terms=terms)
    client, page = signed_in(owner), f"/account/purchases/{bought.pk}/"
    refused = client.get("/download/x", headers={"Accept": "text/html"})
    paths = ["/account/", page, unused.get_absolute_url(), "/packages/kimi-k3-8xb300/licence/"]
    paths += ["/packages/kimi-k3-8xb300/buy/", "/accounts/email/", "/accounts/password/change/"]
    return [*(client.get(path) for path in paths), client.post(f"{page}1.0.0/link/"), refused]


def test_no_private_page_needs_inline_script_or_style_or_another_site(
    private_pages: list[Any], settings: Any
) -> None:
    inline = r"<script(?![^>]*\bsrc=)|<style|<[^>]*\s(style|on\w+)=|javascript:"
    for response in private_pages:
        assert response.status_code in {200, 404}
        assert re.search(inline, response.text) is None, response.request["PATH_INFO"]
        absolute = re.findall(r'(?:src|href|action)="((?:https?:)?//[^"]*)', response.text)
        assert [each for each in absolute if not each.startswith(f"{settings.SITE_URL}/")] == []


def test_the_staffs_site_is_kept_by_nobody(db: None) -> None:
    user = make_user("sam@store.example", staff=True)
    user.is_superuser = True
    user.save()
    for path in ("/staff/", "/staff/entitlements/purchase/", "/staff/nowhere/"):
        response = signed_in(user).get(path)
        require_safe_policy(response)
        assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("get", "/nowhere/", 404), ("post", "/", 405), ("post", "/accounts/logout/", 403)],
)
def test_errors_carry_the_policy_too(db: None, method: str, path: str, status: int) -> None:
    response = getattr(Client(enforce_csrf_checks=status == 403), method)(path)
    assert response.status_code == status
    require_safe_policy(response)


def test_a_failure_of_ours_shows_a_page_and_no_trace(
    published: PackageVersion, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(version: object) -> None:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setattr("catalog.views.card_of", fail)
    client = signed_in(owner)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    require_safe_policy(response)
    assert "<h1>" in response.text
    assert "secret" not in response.text
    assert "Traceback" not in response.text


def test_no_script_reads_the_cookies_and_no_other_site_sends_them(owner: User) -> None:
    client = Client()
    client.get("/accounts/login/")
    client.post("/accounts/login/", {"login": owner.email, "password": "a long pass phrase"})
    assert {"sessionid", "csrftoken"} <= set(client.cookies)
    for name in ("sessionid", "csrftoken"):
        assert client.cookies[name]["httponly"]
        assert client.cookies[name]["samesite"] == "Lax"
