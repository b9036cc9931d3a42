"""The second factor: set up, asked for at sign-in and before signing, kept as a secret."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from licensing.deleting import delete_account
from licensing.models import LicenceSignature, User
from licensing.second_factor import MFAAdapter
from tests.devices import ASKS, PASSWORD, code_of, half_signed_in, other_code, with_device
from tests.licence_form import LICENCE, summarised
from tests.licensing.test_signing_steps import aged, answers
from tests.people import make_user, signed_in

__all__ = ["answers"]  # a fixture
SETUP = "/accounts/2fa/totp/activate/"
AGAIN = "/accounts/2fa/reauthenticate/"


@pytest.fixture(autouse=True)
def _no_attempts_of_other_tests() -> None:
    cache.clear()


def confirmed(user: User) -> Client:
    """A browser whose person gave the password again just now."""
    client = signed_in(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def opens(client: Client) -> bool:
    return client.get("/account/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_set_up_by_its_pages_it_is_asked_for_at_the_next_sign_in(owner: User) -> None:
    client = confirmed(owner)
    page = client.get(SETUP).text
    [secret] = re.findall(r'<code class="secret">([A-Z2-7]{32})</code>', page)
    assert 'src="data:image/svg+xml;base64,' in page
    assert f"otpauth://totp/ada%40meridian.example?secret={secret}&amp;issuer=Touchstone" in page
    assert client.post(SETUP, {"code": other_code(secret)}).status_code == 200
    assert not Authenticator.objects.exists()
    done = client.post(SETUP, {"code": code_of(secret)})
    assert done.headers["Location"] == "/accounts/2fa/recovery-codes/"
    assert len(re.findall(r"<code>\d{8}</code>", client.get(done.headers["Location"]).text)) == 10
    later = half_signed_in(owner)
    assert not opens(later)
    later.post(ASKS, {"code": code_of(secret)})
    assert opens(later)


def test_a_wrong_code_and_a_used_one_sign_nobody_in(owner: User) -> None:
    secret = with_device(owner)
    client = half_signed_in(owner)
    assert "Incorrect code." in client.post(ASKS, {"code": other_code(secret)}).text
    assert not opens(client)
    code = code_of(secret)
    assert client.post(ASKS, {"code": code}).headers["Location"] == "/account/"
    thief = half_signed_in(owner)
    assert thief.post(ASKS, {"code": code}).status_code == 200
    assert not opens(thief)


def test_a_recovery_code_works_once(owner: User) -> None:
    with_device(owner)
    code = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[3]
    for works in (True, False):
        client = half_signed_in(owner)
        client.post(ASKS, {"code": code})
        assert opens(client) is works


def test_guessing_ends_after_a_few(owner: User) -> None:
    secret = with_device(owner)
    client = half_signed_in(owner)
    for _ in range(12):
        client.post(ASKS, {"code": other_code(secret)})
    assert client.post(ASKS, {"code": code_of(secret)}).status_code in {200, 429}
    assert not opens(client)


def test_the_database_alone_makes_no_code(owner: User, settings: Any) -> None:
    secret = with_device(owner)
    rows = {each.type: each.data for each in Authenticator.objects.all()}
    assert secret not in json.dumps(rows)
    assert MFAAdapter().decrypt(rows["totp"]["secret"]) == secret
    assert not re.fullmatch(r"[0-9a-f]{80}", rows["recovery_codes"]["seed"])
    assert re.fullmatch(r"[0-9a-f]{80}", MFAAdapter().decrypt(rows["recovery_codes"]["seed"]))
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another key of the store"
    with pytest.raises(InvalidToken):
        MFAAdapter().decrypt(rows["totp"]["secret"])
    settings.SECRET_KEY_FALLBACKS = [former]
    assert MFAAdapter().decrypt(rows["totp"]["secret"]) == secret


@pytest.mark.parametrize("method", ["password", "mfa"])
def test_signing_asks_for_the_code_unless_it_was_given_just_now(
    answers: dict[str, str], owner: User, method: str, settings: Any
) -> None:
    client = signed_in(owner)
    sent = summarised(client, answers)
    secret = with_device(owner)
    # The password a minute ago is not enough, nor is a code of long ago.
    aged(client, 1 if method == "password" else settings.SIGNING_RECENT_LOGIN + 1, method)
    asked = client.post(LICENCE, sent).headers["Location"]
    assert asked.startswith(AGAIN)
    assert client.post(asked, {"code": other_code(secret)}).status_code == 200
    assert not LicenceSignature.objects.exists()
    assert client.post(asked, {"code": code_of(secret)}).status_code == 302
    assert LicenceSignature.objects.get().account == owner


def test_who_signed_in_with_the_code_signs_at_once(answers: dict[str, str], owner: User) -> None:
    secret = with_device(owner)
    client = half_signed_in(owner)
    client.post(ASKS, {"code": code_of(secret)})
    assert client.post(LICENCE, summarised(client, answers)).status_code == 302
    assert LicenceSignature.objects.count() == 1


def test_removing_it_asks_for_it_and_no_password_does_instead(owner: User) -> None:
    secret = with_device(owner)
    client, page = confirmed(owner), "/accounts/2fa/totp/deactivate/"
    asked = client.post(page).headers["Location"]
    assert asked.startswith(AGAIN)
    assert Authenticator.objects.count() == 2
    client.post(asked, {"code": code_of(secret)})
    client.post(page)
    assert not Authenticator.objects.exists()


def test_it_goes_with_the_account(owner: User) -> None:
    with_device(owner)
    delete_account(account=owner)
    assert not Authenticator.objects.exists()


def test_no_page_of_it_needs_a_script(owner: User) -> None:
    client = confirmed(owner)
    pages = [client.get(path) for path in ("/accounts/2fa/", SETUP)]
    secret = with_device(owner)
    half = half_signed_in(owner).get(ASKS)
    client.post(AGAIN, {"code": code_of(secret)})
    ways = ("", "totp/deactivate/", "recovery-codes/", "recovery-codes/generate/")
    pages += [half, *(client.get(f"/accounts/2fa/{way}") for way in ways)]
    for page in pages:
        assert page.status_code == 200
        assert re.search(r"<script|<style|<[^>]*\s(style|on\w+)=", page.text) is None


@pytest.fixture
def staff(db: None) -> User:
    user = make_user("sam@store.example", staff=True)
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    return User.objects.get(pk=user.pk)


def test_the_staffs_site_wants_one_where_the_store_says_so(
    staff: User, owner: User, settings: Any
) -> None:
    client = signed_in(staff)
    assert client.get("/staff/").status_code == 200
    settings.STAFF_REQUIRE_MFA = True
    for answer in (client.get("/staff/licensing/"), client.post("/staff/terms/")):
        assert answer.headers["Location"] == "/accounts/2fa/"
    assert "needs a second factor" in client.get("/accounts/2fa/").text
    assert Client().get("/staff/").headers["Location"].startswith("/staff/login/")
    assert opens(client)
    with_device(staff)
    assert client.get("/staff/").status_code == 200


def test_staff_neither_reads_nor_replaces_anybodys(staff: User, owner: User) -> None:
    with_device(owner)
    client = signed_in(staff)
    assert client.get("/staff/mfa/authenticator/").status_code == 404
    assert "authenticator" not in client.get("/staff/").text.lower()


def test_who_lost_it_all_is_let_in_by_whoever_runs_the_store(owner: User) -> None:
    with_device(owner)
    call_command("reset_second_factor", owner.email.upper(), stdout=io.StringIO())
    client = Client()
    client.post("/accounts/login/", {"login": owner.email, "password": PASSWORD})
    assert opens(client)
    for address, why in ((owner.email, "no second factor"), ("no@x.example", "no account")):
        with pytest.raises(CommandError, match=why):
            call_command("reset_second_factor", address, stdout=io.StringIO())
