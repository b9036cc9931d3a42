"""The licence form against who sends it by hand: only a clear yes and a legible name sign."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.core.exceptions import ValidationError
from django.http import QueryDict

from catalog.models import PackageVersion
from licensing.fields import Mark, PlainField
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from tests.licence_form import signed
from tests.people import signed_in

PAGE = "/packages/kimi-k3-8xb300/licence/"
MARKS = ("authority", "redistribution", "resale", "traceability", "responsibility", "consent")


@pytest.fixture
def answers(published: PackageVersion, terms: LicenceTerms, owner: User) -> dict[str, str]:
    """A form filled in for a new entity."""
    return {
        "terms_sha256": terms.sha256,
        "entity": "",
        "legal_name": "Meridian Labs GmbH",
        "country": "DE",
        "address": "Hauptstrasse 1\r\n10115 Berlin",
        "signer_name": "Ada Okafor",
        "signer_title": "Chief Technology Officer",
    } | dict.fromkeys(MARKS, "on")


@pytest.mark.parametrize("sent", ["off", "0", "no", "", "\0", "on ", "0n"])
def test_a_mark_is_set_by_a_clear_yes_alone(sent: str) -> None:
    assert not Mark().value_from_datadict(QueryDict(urlencode({"resale": sent})), {}, "resale")


@pytest.mark.parametrize("sent", ["resale=on&resale=off", "resale=&resale=on", "other=on", ""])
def test_a_mark_sent_twice_must_say_yes_twice(sent: str) -> None:
    assert not Mark().value_from_datadict(QueryDict(sent), {}, "resale")


@pytest.mark.parametrize("mark", MARKS)
def test_no_sentence_is_affirmed_by_off(answers: dict[str, str], owner: User, mark: str) -> None:
    response = signed_in(owner).post(PAGE, answers | {mark: "off"})
    assert response.status_code == 400
    assert mark in response.context["form"].errors
    assert not LicenceSignature.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        "Ada\nOkafor",
        "Ada\r\nBcc: all@meridian.example",
        "Ada\u202erofakO",
        "Ada\u2066Okafor",
        "Ada\u2028Okafor",
        "Ada\x1b[2JOkafor",
        "\u200b\u200b",
        "\u00ad",
        "...",
    ],
)
def test_a_text_that_hides_something_is_refused(sent: str) -> None:
    with pytest.raises(ValidationError):
        PlainField().clean(sent)


@pytest.mark.parametrize("name", ["Zoë Müller-Łuck", "王小明", "نرگس می\u200cخواهد", "O'Hara 3rd"])
def test_names_of_the_world_are_plain(name: str) -> None:
    assert PlainField().clean(name) == name


@pytest.mark.parametrize(
    "field", ["signer_name", "signer_title", "legal_name", "registration_number", "address"]
)
def test_the_form_refuses_it_at_its_field(answers: dict[str, str], owner: User, field: str) -> None:
    response = signed_in(owner).post(PAGE, answers | {field: "Ada\u202erofakO"})
    assert response.status_code == 400
    assert field in response.context["form"].errors
    assert not LicensedEntity.objects.exists()


def test_an_address_has_lines(answers: dict[str, str], owner: User) -> None:
    assert signed(signed_in(owner), answers).status_code == 302
    assert LicenceSignature.objects.get().entity_address.split() == answers["address"].split()
