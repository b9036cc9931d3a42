"""From the form to the signature: a summary, the signer's own name, a recent login, consent."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from catalog.models import PackageVersion
from licensing import recent_login
from licensing.adapter import AccountAdapter
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from licensing.signing import CONSENT, SigningRefused
from tests.catalog.reading import shown
from tests.licence_form import LICENCE, MARKS, signed, summarised
from tests.people import make_user, signed_in
from tests.shop import sign


@pytest.fixture
def answers(
    published: PackageVersion, terms: LicenceTerms, entity: LicensedEntity
) -> dict[str, str]:
    """A form filled in as the owner does."""
    return {
        "terms_sha256": terms.sha256,
        "entity": str(entity.pk),
        "signer_name": "Ada Okafor",
        "signer_title": "Chief Technology Officer",
    } | dict.fromkeys(MARKS, "on")


def test_the_summary_says_who_signs_what_for_whom_and_stores_nothing(
    answers: dict[str, str], owner: User, terms: LicenceTerms
) -> None:
    page = shown(signed_in(owner).post(LICENCE, answers))
    assert "Ada Okafor, Chief Technology Officer, ada@meridian.example" in page
    assert "Meridian Labs GmbH, HRB 12345, DE Hauptstrasse 1, 10115 Berlin DE123456789" in page
    assert terms.sha256 in page
    for sentence in (CONSENT, "will not sell, rent, sublicense or bundle the kit"):
        assert sentence in page
    assert not LicenceSignature.objects.exists()


def test_what_the_summary_sends_on_signs_as_often_as_it_is_sent_once(
    answers: dict[str, str], owner: User
) -> None:
    client = signed_in(owner)
    answers |= {"attempt": "6f3f3a52-6a0e-4f9f-8a51-5d1d6a9f4c55"}
    sent = summarised(client, answers)
    assert {client.post(LICENCE, sent).status_code for _ in range(3)} == {302}
    assert LicenceSignature.objects.count() == 1


@pytest.mark.parametrize("changed", [{"signer_title": "Intern"}, {"seen": "0" * 64}, {"seen": ""}])
def test_other_answers_than_the_summarised_are_summarised_first(
    answers: dict[str, str], owner: User, changed: dict[str, str]
) -> None:
    client = signed_in(owner)
    response = client.post(LICENCE, summarised(client, answers) | changed)
    assert "What you are about to sign" in response.text
    assert not LicenceSignature.objects.exists()


def test_an_entity_that_was_renamed_meanwhile_is_shown_again(
    answers: dict[str, str], owner: User, entity: LicensedEntity
) -> None:
    client = signed_in(owner)
    sent = summarised(client, answers)
    LicensedEntity.objects.filter(pk=entity.pk).update(legal_name="Meridian Holding SE")
    assert "Meridian Holding SE" in client.post(LICENCE, sent).text
    assert not LicenceSignature.objects.exists()


def test_anothers_summary_signs_nothing(
    answers: dict[str, str], owner: User, outsider: User
) -> None:
    new = {"entity": "", "legal_name": "New Co", "country": "DE", "address": "Somewhere 1"}
    sent = summarised(signed_in(owner), answers | new)
    response = signed_in(outsider).post(LICENCE, sent | {"signer_name": outsider.name})
    assert "What you are about to sign" in response.text
    assert not LicenceSignature.objects.exists()


def test_one_may_change_something_without_filling_in_all_again(
    answers: dict[str, str], owner: User
) -> None:
    client = signed_in(owner)
    response = client.post(LICENCE, summarised(client, answers) | {"edit": "yes"})
    assert 'value="Chief Technology Officer"' in response.text
    assert "Go on to the summary" in response.text
    assert not LicenceSignature.objects.exists()


@pytest.mark.parametrize("typed", ["ada okafor", "  Ada   OKAFOR ", "AdaOkafor", "Ａda Okafor"])
def test_case_and_spaces_do_not_make_another_name(
    answers: dict[str, str], owner: User, typed: str
) -> None:
    assert signed(signed_in(owner), answers | {"signer_name": typed}).status_code == 302


def test_another_persons_name_is_refused_at_its_field(answers: dict[str, str], owner: User) -> None:
    response: Any = signed_in(owner).post(LICENCE, answers | {"signer_name": "Otto Berg"})
    assert response.status_code == 400
    assert response.context["form"].errors == {
        "signer_name": ["Sign with the name of your account: Ada Okafor."]
    }


def test_no_caller_signs_under_another_name_or_without_consent(
    owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    for refused in ({"signer_name": "Otto Berg"}, {"consented": False}):
        with pytest.raises(SigningRefused, match=r"name of your account|electronic records"):
            sign(account=owner, version=published, entity=entity, terms=terms, **refused)
    assert not LicenceSignature.objects.exists()


def test_an_account_without_a_name_takes_the_one_it_signs_with(answers: dict[str, str]) -> None:
    user = make_user("nina@nowhere.example")
    new = {"entity": "", "legal_name": "New Co", "country": "DE", "address": "Somewhere 1"}
    assert signed(signed_in(user), answers | new | {"signer_name": "Nina Weiss"}).status_code == 302
    user.refresh_from_db()
    assert user.name == "Nina Weiss"
    response = signed_in(user).post(LICENCE, answers | new | {"signer_name": "Ada Okafor"})
    assert response.status_code == 400


def aged(client: Client, minutes: float, method: str = "password") -> Client:
    """The browser, with its login that long ago."""
    session = client.session
    [record] = session["account_authentication_methods"]
    session["account_authentication_methods"] = [
        record | {"at": time.time() - minutes * 60, "method": method}
    ]
    session.save()
    return client


@pytest.mark.parametrize("step", ["form", "summary"])
def test_who_signed_in_long_ago_gives_the_password_and_the_form_goes_on(
    answers: dict[str, str], owner: User, step: str, settings: Any
) -> None:
    client = signed_in(owner)
    sent = summarised(client, answers) if step == "summary" else answers
    aged(client, settings.SIGNING_RECENT_LOGIN + 1)
    asked = client.post(LICENCE, sent)
    assert asked.headers["Location"].startswith("/accounts/reauthenticate/?next=")
    assert not LicenceSignature.objects.exists()
    wrong = client.post(asked.headers["Location"], {"password": "a guess"})
    assert wrong.status_code == 200
    went_on = client.post(asked.headers["Location"], {"password": "a long pass phrase"})
    assert went_on.status_code == (302 if step == "summary" else 200)
    assert LicenceSignature.objects.count() == (1 if step == "summary" else 0)


def test_a_login_within_the_minutes_is_enough(
    answers: dict[str, str], owner: User, settings: Any
) -> None:
    client = aged(signed_in(owner), settings.SIGNING_RECENT_LOGIN - 1)
    assert signed(client, answers).status_code == 302


@pytest.mark.parametrize(("method", "status"), [("password", "asked"), ("mfa", "signed")])
def test_an_account_with_a_second_factor_shows_that_one(
    answers: dict[str, str],
    owner: User,
    method: str,
    status: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recent_login, "has_second_factor", lambda user: user == owner)
    response = signed(aged(signed_in(owner), 1, method), answers)
    asked = response.headers["Location"].startswith("/accounts/reauthenticate/")
    assert ("asked" if asked else "signed") == status
    assert LicenceSignature.objects.exists() is (status == "signed")


def test_the_second_factor_is_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = [{"id": "reauthenticate"}, {"id": "mfa_reauthenticate"}]
    base = AccountAdapter.__mro__[1]
    monkeypatch.setattr(base, "get_reauthentication_methods", lambda *_: ways)
    assert AccountAdapter().get_reauthentication_methods(None) == ways[::-1]


def test_consent_is_in_the_row_its_digest_and_the_receipt(signature: LicenceSignature) -> None:
    assert (signature.consent_text, signature.consent_given) == (CONSENT, True)
    assert CONSENT.encode() in signature.countersigned.receipt.payload
    digest_of = "SELECT licensing_signature_digest({}) FROM licensing_licencesignature s"
    other = 'jsonb_populate_record(s, \'{"consent_text": "I agree to nothing of this."}\')'
    with connection.cursor() as cursor:
        found = []
        for row in ("s", other):
            cursor.execute(digest_of.format(row))
            found.append(cursor.fetchone()[0])
    assert found[0] == signature.digest
    assert found[1] != signature.digest


@pytest.mark.parametrize("consent", ["NULL, NULL", "'', true", "consent_text, false"])
def test_postgres_takes_no_signature_without_consent(
    signature: LicenceSignature, consent: str
) -> None:
    left_out = {"id", "consent_text", "consent_given"}
    names = [f.column for f in LicenceSignature._meta.fields if f.column not in left_out]
    columns = ", ".join(f'"{name}"' for name in names)
    statement = (
        f"INSERT INTO licensing_licencesignature (id, {columns}, consent_text, consent_given) "  # noqa: S608 -- names of columns
        f"SELECT gen_random_uuid(), {columns}, {consent} FROM licensing_licencesignature"
    )
    with (
        pytest.raises(IntegrityError, match=r"affirms_all|names_signer|null value"),
        transaction.atomic(),
    ):
        connection.cursor().execute(statement)
