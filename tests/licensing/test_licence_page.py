from __future__ import annotations

import hashlib

import pytest
from django.test import Client

from catalog.models import PackageVersion
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from tests.licence_form import signed
from tests.people import signed_in

PAGE = "/packages/kimi-k3-8xb300/licence/"


@pytest.fixture
def answers(
    published: PackageVersion, terms: LicenceTerms, entity: LicensedEntity
) -> dict[str, str]:
    """A form filled in as the buyer does."""
    marks = ("authority", "redistribution", "resale", "traceability", "responsibility", "consent")
    return {
        "terms_sha256": terms.sha256,
        "entity": str(entity.pk),
        "signer_name": "Ada Okafor",
        "signer_title": "Chief Technology Officer",
    } | dict.fromkeys(marks, "on")


def test_a_stranger_reads_the_full_terms_and_no_form(
    published: PackageVersion, terms: LicenceTerms, client: Client
) -> None:
    page = client.get(PAGE).content.decode()
    assert "## 13. Term and end" in page
    assert 'name="signer_name"' not in page


def test_every_mark_starts_unset(answers: dict[str, str], owner: User) -> None:
    page = signed_in(owner).get(PAGE).content.decode()
    assert page.count('type="checkbox"') == 6
    assert "checked" not in page


def test_the_owner_signs_and_goes_on_to_pay(answers: dict[str, str], owner: User) -> None:
    response = signed(signed_in(owner), answers)
    made = LicenceSignature.objects.get()
    assert response.headers["Location"] == f"/packages/kimi-k3-8xb300/buy/?signature={made.pk}"
    assert made.account == owner


@pytest.mark.parametrize("name", ["authority", "resale", "consent", "signer_name", "signer_title"])
def test_what_is_missing_is_named_and_nothing_is_stored(
    answers: dict[str, str], owner: User, name: str
) -> None:
    del answers[name]
    response = signed_in(owner).post(PAGE, answers)
    assert response.status_code == 400
    assert name in response.context["form"].errors
    assert not LicenceSignature.objects.exists()


def test_an_entity_chosen_and_another_named_are_one_too_many(
    answers: dict[str, str], owner: User
) -> None:
    answers["legal_name"] = "Meridian Holding SE"
    response = signed_in(owner).post(PAGE, answers)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == ["legal_name"]
    assert not LicenceSignature.objects.exists()


def test_another_hash_sends_the_reader_back_to_the_terms(
    answers: dict[str, str], owner: User
) -> None:
    answers["terms_sha256"] = "0" * 64
    response = signed_in(owner).post(PAGE, answers, follow=True)
    assert "The terms changed after you opened them" in response.content.decode()
    assert not LicenceSignature.objects.exists()


@pytest.mark.parametrize("person", ["team_mate", "outsider"])
def test_nobody_else_signs_for_the_entity(
    answers: dict[str, str], person: str, request: pytest.FixtureRequest
) -> None:
    response = signed_in(request.getfixturevalue(person)).post(PAGE, answers)
    assert response.status_code == 400
    assert not LicenceSignature.objects.exists()


def test_a_stranger_who_posts_is_sent_to_sign_in(answers: dict[str, str], client: Client) -> None:
    assert client.post(PAGE, answers).headers["Location"].startswith("/accounts/login/")


def test_the_plain_text_has_the_hash_that_is_signed(terms: LicenceTerms, client: Client) -> None:
    body = client.get("/licences/enterprise-1.0.txt").content
    assert hashlib.sha256(body).hexdigest() == terms.sha256


@pytest.mark.parametrize(
    ("person", "status"), [("owner", 200), ("team_mate", 200), ("outsider", 404)]
)
def test_a_signature_is_shown_to_its_entity_alone(
    signature: LicenceSignature, person: str, status: int, request: pytest.FixtureRequest
) -> None:
    client = signed_in(request.getfixturevalue(person))
    assert client.get(f"/account/signatures/{signature.pk}/").status_code == status


def test_a_stranger_sees_no_signature(signature: LicenceSignature, client: Client) -> None:
    assert client.get(f"/account/signatures/{signature.pk}/").status_code == 302
