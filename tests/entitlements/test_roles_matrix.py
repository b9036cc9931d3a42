"""Role by action by entity: who may do what with licences, purchases and kits, page and API alike.

What is refused stores nothing: no row of evidence, no signature, no purchase.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client

from catalog.models import PackageVersion
from entitlements.completion import complete_purchase
from entitlements.models import Purchase
from entitlements.purchasing import open_purchase
from entitlements.views import buying
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from tests.entitlements.machine import promises
from tests.licence_form import LICENCE, MARKS, signed
from tests.licensing.parties import join
from tests.people import make_user, signed_in
from tests.shop import payment_for, sign

BUY = "/packages/kimi-k3-8xb300/buy/"
BINDING = {"owner", "signer"}
MEMBERS = {*BINDING, "engineer"}
PEOPLE = (*sorted(MEMBERS), "removed", "closed", "staff", "finance", "stranger")


class House(NamedTuple):
    """An entity that bought, and holds a signature that binds nothing yet."""

    entity: LicensedEntity
    bought: Purchase
    unused: LicenceSignature


class Visit(NamedTuple):
    """A person in front of what an entity has."""

    client: Client
    name: str
    house: House

    def get(self, path: str) -> Any:
        return self.client.get(f"{path.format(self.house.bought.pk)}")

    def post(self, path: str, **form: str) -> Any:
        return self.client.post(path.format(self.house.bought.pk), form)


def _sign(visit: Visit) -> Any:
    answers = {
        "terms_sha256": visit.house.unused.terms_sha256,
        "entity": str(visit.house.entity.pk),
        "signer_name": visit.name,
        "signer_title": "Director",
    }
    return signed(visit.client, answers | dict.fromkeys(MARKS, "on"))


def _kits(visit: Visit) -> Any:
    response = visit.get("/api/v1/kits/")
    if response.status_code == 200 and str(visit.house.bought.pk) not in response.text:
        response.status_code = 404
    return response


def _unused(visit: Visit) -> str:
    return str(visit.house.unused.pk)


PURCHASE, API = "/account/purchases/{}/", "/api/v1/kits/{}/1.0.0/links/"
# What each is asked by, who may, and whether it writes.
ACTIONS: dict[str, tuple[Callable[[Visit], Any], set[str], bool]] = {
    "sign": (_sign, BINDING, True),
    "buy": (lambda v: v.post(BUY, signature=_unused(v)), BINDING, True),
    "signature": (lambda v: v.get(v.house.unused.get_absolute_url()), MEMBERS, False),
    "agreement": (
        lambda v: v.get(f"{v.house.unused.get_absolute_url()}agreement.pdf"),
        MEMBERS,
        False,
    ),
    "licence receipt": (
        lambda v: v.get(f"{v.house.unused.get_absolute_url()}licence-receipt.json"),
        MEMBERS,
        False,
    ),
    "purchase": (lambda v: v.get(PURCHASE), MEMBERS, False),
    "evidence": (lambda v: v.get(f"{PURCHASE}evidence.tar.gz"), BINDING, False),
    "buyer receipt": (lambda v: v.get(f"{PURCHASE}1.0.0/buyer-receipt.json"), MEMBERS, False),
    "newer terms": (lambda v: v.post(f"{PURCHASE}terms/", signature=_unused(v)), MEMBERS, True),
    "link": (lambda v: v.post(f"{PURCHASE}1.0.0/link/"), MEMBERS, True),
    "link by API": (lambda v: v.post(API), MEMBERS, True),
    "kits by API": (_kits, MEMBERS, False),
}


def bought_by(owner: User, entity: LicensedEntity, **licence: Any) -> House:
    """What an entity has after it signed twice and paid once."""
    first, second = (sign(account=owner, entity=entity, **licence) for _ in range(2))
    purchase = open_purchase(signature=first, buyer=owner)
    complete_purchase(purchase=purchase, payment=payment_for(purchase))
    return House(entity, purchase, second)


@pytest.fixture
def houses(
    owner: User,
    outsider: User,
    entity: LicensedEntity,
    published: PackageVersion,
    terms: LicenceTerms,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, House]:
    """The entity of the people here, and another."""
    monkeypatch.setattr(buying, "start_checkout", lambda purchase: f"/paying/{purchase.pk}")
    theirs = outsider.memberships.get().entity
    licence = {"version": published, "terms": terms}
    return {
        "own": bought_by(owner, entity, **licence),
        "other": bought_by(outsider, theirs, **licence),
    }


def browser_of(person: str, entity: LicensedEntity, owner: User) -> tuple[Client, str]:
    """A session of that person, and their name; who was a member signed in before."""
    if person == "stranger":
        return Client(), "Nobody"
    if person == "owner":
        return signed_in(owner), owner.name
    user = make_user(f"{person}@x.example", name="Pat Doe", staff=person in {"staff", "finance"})
    if person == "finance":
        user.user_permissions.add(Permission.objects.get(codename="view_payment"))
    if person in {"signer", "engineer", "removed", "closed"}:
        role = "engineer" if person == "engineer" else "signer"
        Member.objects.create(entity=entity, user=user, role=role)
    client = signed_in(user)
    if person == "removed":
        Member.objects.get(user=user).delete()
    if person == "closed":
        User.objects.filter(pk=user.pk).update(is_active=False)
    return client, user.name


def is_done(response: Any) -> bool:
    """Whether it was answered with what was asked for; being led elsewhere is a refusal."""
    goes = response.headers.get("Location", "")
    if response.streaming:
        response.getvalue()  # to its end, which closes the file
    if response.status_code == 302 and goes.startswith((LICENCE, "/accounts/login/")):
        return False
    assert response.status_code in {200, 201, 302, 303, 400, 403, 404}
    return bool(response.status_code < 400)


@pytest.mark.parametrize("whose", ["own", "other"])
@pytest.mark.parametrize("person", PEOPLE)
def test_who_may(person: str, whose: str, houses: dict[str, House], owner: User) -> None:
    client, name = browser_of(person, houses["own"].entity, owner)
    visit = Visit(client, name, houses[whose])
    done, meant = {}, {}
    for action, (act, may, writes) in ACTIONS.items():
        allowed = may if whose == "own" else set()
        if action == "evidence":
            allowed = allowed | {"finance"}  # who keeps the books of all entities
        with transaction.atomic():
            before = (promises.fingerprints(), promises.counts())
            done[action] = is_done(act(visit))
            wrote = (promises.fingerprints(), promises.counts()) != before
            transaction.set_rollback(True)
        assert wrote is (done[action] and writes), action
        meant[action] = person in allowed
    assert done == meant


def test_an_engineer_of_another_entity_is_as_far_away_as_its_owner(
    houses: dict[str, House],
) -> None:
    elsewhere = join(houses["other"].entity, "eng@elsewhere.example", "engineer").user
    visit = Visit(signed_in(elsewhere), "Eng", houses["own"])
    assert [name for name, (act, _, _) in ACTIONS.items() if is_done(act(visit))] == []
