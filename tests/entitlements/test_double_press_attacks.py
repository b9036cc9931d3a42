"""A button pressed twice, or eight times at once: one signature, one purchase, one session."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client

from catalog.models import PackageVersion
from entitlements.models import Purchase
from entitlements.views import buying
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from tests.licence_form import signed, summarised
from tests.people import signed_in

LICENCE, BUY = "/packages/kimi-k3-8xb300/licence/", "/packages/kimi-k3-8xb300/buy/"
MARKS = ("authority", "redistribution", "resale", "traceability", "responsibility", "consent")


@pytest.fixture
def answers(published: PackageVersion, terms: LicenceTerms, owner: User) -> dict[str, str]:
    """The licence form of one page, filled in for a new entity."""
    return {
        "terms_sha256": terms.sha256,
        "attempt": str(uuid4()),
        "entity": "",
        "legal_name": "Meridian Labs GmbH",
        "country": "DE",
        "address": "Hauptstrasse 1",
        "signer_name": "Ada Okafor",
        "signer_title": "Chief Technology Officer",
    } | dict.fromkeys(MARKS, "on")


@pytest.fixture
def checkouts(monkeypatch: pytest.MonkeyPatch) -> list[Purchase]:
    """The purchases that were sent to the provider, which stays out of these tests."""
    sent: list[Purchase] = []

    def start(purchase: Purchase) -> str:
        sent.append(purchase)
        return f"https://checkout.example/{purchase.pk}"

    monkeypatch.setattr(buying, "start_checkout", start)
    return sent


def at_once(user: User, send: Callable[[Client], HttpResponseBase]) -> set[tuple[int, str]]:
    """How eight browsers were answered that sent the same at the same time."""

    def run(client: Client) -> tuple[int, str]:
        try:
            response = send(client)
            return response.status_code, response.headers.get("Location", "")
        finally:
            connection.close()

    clients = [signed_in(user) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        return set(pool.map(run, clients))


@pytest.mark.django_db(transaction=True)
def test_eight_presses_of_sign_are_one_signature_of_one_entity(
    answers: dict[str, str], owner: User
) -> None:
    answers |= summarised(signed_in(owner), answers)
    assert not LicenceSignature.objects.exists()
    answered = at_once(owner, lambda client: client.post(LICENCE, answers))
    made = LicenceSignature.objects.get()
    assert answered == {(302, f"{BUY}?signature={made.pk}")}
    assert LicensedEntity.objects.get() == made.entity


def test_a_corrected_title_is_another_signature(answers: dict[str, str], owner: User) -> None:
    signed(signed_in(owner), answers)
    signed(signed_in(owner), answers | {"signer_title": "Director"})
    titles = LicenceSignature.objects.values_list("signer_title", flat=True)
    assert list(titles) == ["Chief Technology Officer", "Director"]


def test_two_pages_are_two_signatures(answers: dict[str, str], owner: User) -> None:
    for _ in range(2):
        signed(signed_in(owner), answers | {"attempt": str(uuid4())})
    assert LicenceSignature.objects.count() == 2


def test_the_page_carries_its_own_number(answers: dict[str, str], owner: User) -> None:
    forms = [signed_in(owner).get(LICENCE).context["form"] for _ in range(2)]
    assert forms[0]["attempt"].value() != forms[1]["attempt"].value()
    assert str(forms[0]["attempt"].value()) in str(forms[0]["attempt"])


def test_another_account_with_the_same_page_signs_for_itself(
    answers: dict[str, str], owner: User, outsider: User
) -> None:
    for person in (owner, outsider):
        signed(signed_in(person), answers | {"signer_name": person.name})
    accounts = LicenceSignature.objects.values_list("account", flat=True)
    assert list(accounts) == [owner.pk, outsider.pk]


@pytest.mark.django_db(transaction=True)
def test_eight_presses_of_buy_all_lead_to_one_purchase(
    signature: LicenceSignature, owner: User, checkouts: list[Purchase]
) -> None:
    form = {"signature": str(signature.pk), "purchase_order": "PO-7"}
    answered = at_once(owner, lambda client: client.post(BUY, form))
    bought = Purchase.objects.get()
    assert answered == {(303, f"https://checkout.example/{bought.pk}")}
    assert len(checkouts) == 8


def test_buying_again_what_is_paid_shows_it(
    bought: Purchase, owner: User, checkouts: list[Purchase]
) -> None:
    response = signed_in(owner).post(BUY, {"signature": str(bought.signature_id)})
    assert response.headers["Location"] == bought.get_absolute_url()
    assert not checkouts


def test_nobody_buys_with_the_signature_of_another_entity(
    signature: LicenceSignature, outsider: User, checkouts: list[Purchase]
) -> None:
    response = signed_in(outsider).post(BUY, {"signature": str(signature.pk)})
    assert response.headers["Location"] == LICENCE
    assert not Purchase.objects.exists()
