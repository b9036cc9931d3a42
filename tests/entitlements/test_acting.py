"""A person in two entities acts for one: what the other signed and bought keeps out of the way."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from django.test import Client

from catalog.models import PackageVersion
from entitlements.completion import complete_purchase
from entitlements.models import Purchase
from entitlements.purchasing import open_purchase
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from tests.licence_form import MARKS, signed
from tests.people import signed_in
from tests.shop import payment_for, sign

KITS = "/api/v1/kits/"
BUY = "/packages/kimi-k3-8xb300/buy/"


class Two(NamedTuple):
    """Ada's browser; her first entity by name, and another that bought the same package."""

    client: Client
    first: Purchase
    second: Purchase


@pytest.fixture
def two(
    owner: User,
    outsider: User,
    published: PackageVersion,
    entity: LicensedEntity,
    terms: LicenceTerms,
) -> Two:
    elsewhere = LicensedEntity.objects.get(legal_name="Elsewhere AB")
    Member.objects.create(entity=elsewhere, user=owner, role=Member.Role.SIGNER)

    def buy(party: LicensedEntity) -> Purchase:
        signature = sign(account=owner, version=published, entity=party, terms=terms)
        purchase = open_purchase(signature=signature, buyer=owner)
        complete_purchase(purchase=purchase, payment=payment_for(purchase))
        return purchase

    return Two(signed_in(owner), first=buy(elsewhere), second=buy(entity))


def act_for(client: Client, purchase: Purchase) -> None:
    response = client.post(f"{purchase.entity.get_absolute_url()}act/")
    assert response.headers["Location"] == "/account/"


def listed(client: Client, two: Two) -> list[bool]:
    """Whether the account lists the first and the second entity's purchase."""
    page = client.get("/account/").text
    return [f"/account/purchases/{each.pk}/" in page for each in (two.first, two.second)]


def test_the_account_lists_the_chosen_entitys_purchases_alone(two: Two) -> None:
    assert listed(two.client, two) == [True, False]
    act_for(two.client, two.second)
    assert listed(two.client, two) == [False, True]
    act_for(two.client, two.first)
    assert listed(two.client, two) == [True, False]


def test_a_choice_is_of_one_session_and_gives_no_right(two: Two, owner: User) -> None:
    act_for(two.client, two.second)
    assert listed(signed_in(owner), two) == [True, False]
    Member.objects.create(
        entity=two.second.entity, user=User.objects.get(email__startswith="otto"), role="owner"
    )
    Member.objects.filter(user=owner, entity=two.second.entity).delete()
    assert listed(two.client, two) == [True, False]
    path = two.second.entity.get_absolute_url()
    assert two.client.post(f"{path}act/").status_code == 404
    assert two.client.get(f"/account/purchases/{two.second.pk}/").status_code == 404


def test_only_the_acting_entitys_licence_is_paid_with(
    two: Two, owner: User, published: PackageVersion, terms: LicenceTerms
) -> None:
    signature = sign(account=owner, version=published, entity=two.second.entity, terms=terms)
    before = Purchase.objects.count()
    # The first entity has no licence to buy with: it is led to sign one.
    assert "Pay for it" not in two.client.get("/account/").text
    assert two.client.get(BUY).headers["Location"] == "/packages/kimi-k3-8xb300/licence/"
    assert two.client.post(BUY, {"signature": signature.pk}).status_code == 400
    assert Purchase.objects.count() == before
    act_for(two.client, two.second)
    assert "Pay for it" in two.client.get("/account/").text
    assert str(signature.pk) in two.client.get(BUY).text


def test_who_signs_goes_on_for_that_entity(two: Two, terms: LicenceTerms) -> None:
    form: dict[str, Any] = dict.fromkeys(MARKS, "on") | {
        "terms_sha256": terms.sha256,
        "entity": two.second.entity_id,
        "signer_name": "Ada Okafor",
        "signer_title": "CTO",
    }
    response = signed(two.client, form)
    made = LicenceSignature.objects.latest("position")
    assert response.headers["Location"] == f"{BUY}?signature={made.pk}"
    assert f'value="{made.pk}" selected' in two.client.get(response.headers["Location"]).text
    assert listed(two.client, two) == [False, True]


def test_the_licence_starts_with_the_acting_entity(two: Two) -> None:
    page = "/packages/kimi-k3-8xb300/licence/"
    for each in (two.second, two.first):
        act_for(two.client, each)
        assert f'value="{each.entity_id}" selected' in two.client.get(page).text


def test_a_program_lists_all_its_entities_or_names_one(two: Two) -> None:
    def kits(query: str = "") -> list[str]:
        return [kit["entity_id"] for kit in two.client.get(KITS + query).json()]

    first, second = str(two.first.entity_id), str(two.second.entity_id)
    assert sorted(kits()) == sorted([first, second])
    assert kits(f"?entity={second}") == [second]
    act_for(two.client, two.second)
    assert kits(f"?entity={first}") == [first]


def test_a_program_names_no_other_entity(two: Two, outsider: User) -> None:
    client = signed_in(outsider)
    for entity in (two.second.entity_id, uuid4()):
        assert client.get(f"{KITS}?entity={entity}").status_code == 404
    response = client.get(f"{KITS}?entity=Meridian")
    assert response.status_code == 400
    assert response.json() == {"entity": ["Must be a valid UUID."]}
