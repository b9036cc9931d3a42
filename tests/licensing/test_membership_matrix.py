"""Role by action by entity: who may change what about whom, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from licensing.entity_details import change_details
from licensing.inviting import invite, revoke_invitation
from licensing.membership import change_role, leave, remove_member, transfer_ownership
from licensing.models import Invitation, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from licensing.signing import EntityDetails
from tests.licensing.parties import invitation_to, join
from tests.people import make_user

NAMED = EntityDetails(legal_name="Meridian SE", country="FR", address="Rue 1, Paris")


class House(NamedTuple):
    """An entity with somebody in every role, and another with an owner of its own."""

    entity: LicensedEntity
    people: dict[str, User]
    member: Member  # whom things are done to
    invitation: Invitation


@pytest.fixture
def house(entity: LicensedEntity, owner: User, outsider: User) -> House:
    people = {"owner": owner, "owner elsewhere": outsider, "nobody": make_user("n@x.example")}
    for role in ("signer", "engineer"):
        people[role] = join(entity, f"{role}@meridian.example", role).user
    target = join(entity, "target@meridian.example", "engineer")
    # A second owner, so that the first may go.
    join(entity, "second@meridian.example", "owner")
    return House(entity, people, target, invitation_to(entity, "i@meridian.example", by=owner))


ACTIONS: dict[str, Callable[[House, User], Any]] = {
    "invite": lambda h, who: invite(
        account=who, entity=h.entity, email="x@y.example", role="owner"
    ),
    "revoke": lambda h, who: revoke_invitation(
        account=who, entity=h.entity, invitation=h.invitation.pk
    ),
    "raise": lambda h, who: change_role(
        account=who, entity=h.entity, member=h.member.pk, role="owner"
    ),
    "remove": lambda h, who: remove_member(account=who, entity=h.entity, member=h.member.pk),
    "transfer": lambda h, who: transfer_ownership(account=who, entity=h.entity, member=h.member.pk),
    "name": lambda h, who: change_details(account=who, entity=h.entity, details=NAMED),
    "leave": lambda h, who: leave(account=who, entity=h.entity),
}
# What each is answered, 200 for yes. Only leaving is everybody's who is in.
ROLES = {"owner": 200, "signer": 403, "engineer": 403, "owner elsewhere": 404, "nobody": 404}
LEAVING = {"owner": 200, "signer": 200, "engineer": 200, "owner elsewhere": 404, "nobody": 404}


def state() -> list[Any]:
    """Every row that says who is who."""
    return [
        list(model._default_manager.order_by("pk").values())
        for model in (LicensedEntity, Member, Invitation)
    ]


def answer(act: Callable[[], object]) -> int:
    try:
        act()
    except PartyRefused as refusal:
        return refusal.status
    return 200


@pytest.mark.parametrize("person", ROLES)
@pytest.mark.parametrize("action", ACTIONS)
def test_who_may(house: House, action: str, person: str) -> None:
    before = state()
    meant = (LEAVING if action == "leave" else ROLES)[person]
    assert answer(lambda: ACTIONS[action](house, house.people[person])) == meant
    assert (state() != before) is (meant == 200)


@pytest.mark.parametrize("action", ["revoke", "raise", "remove", "transfer"])
def test_an_owner_reaches_nothing_of_another_entity(house: House, action: str) -> None:
    # Their own entity in the address, the other's member or invitation in it too.
    theirs = LicensedEntity.objects.get(legal_name="Elsewhere AB")
    before = state()
    bent = house._replace(entity=theirs)
    assert answer(lambda: ACTIONS[action](bent, house.people["owner elsewhere"])) == 404
    assert state() == before


@pytest.mark.parametrize("action", [each for each in ACTIONS if each != "leave"])
def test_who_is_no_longer_owner_may_no_longer(house: House, action: str) -> None:
    Member.objects.filter(user=house.people["owner"]).update(role=Member.Role.SIGNER)
    assert answer(lambda: ACTIONS[action](house, house.people["owner"])) == 403


@pytest.mark.parametrize("action", ACTIONS)
def test_a_closed_account_may_nothing(house: House, action: str) -> None:
    person = house.people["owner"]
    person.is_active = False
    person.save()
    assert answer(lambda: ACTIONS[action](house, person)) == 404


@pytest.mark.parametrize("action", ["raise", "remove", "leave"])
def test_the_last_owner_stays_whoever_else_is_closed(house: House, action: str) -> None:
    User.objects.filter(email__startswith="second").update(is_active=False)
    own = Member.objects.get(user=house.people["owner"])
    acts = {
        "raise": lambda: change_role(
            account=own.user, entity=house.entity, member=own.pk, role="signer"
        ),
        "remove": lambda: remove_member(account=own.user, entity=house.entity, member=own.pk),
        "leave": lambda: leave(account=own.user, entity=house.entity),
    }
    before = state()
    assert answer(acts[action]) == 409
    assert state() == before


def test_handing_over_makes_an_owner_and_a_signer(house: House) -> None:
    ACTIONS["transfer"](house, house.people["owner"])
    house.member.refresh_from_db()
    assert house.member.role == "owner"
    assert Member.objects.get(user=house.people["owner"]).role == "signer"


@pytest.mark.parametrize("action", ["invite", "raise"])
def test_there_is_no_fourth_role(house: House, action: str) -> None:
    account, entity = house.people["owner"], house.entity
    acts = {
        "invite": lambda: invite(account=account, entity=entity, email="x@y.example", role="root"),
        "raise": lambda: change_role(
            account=account, entity=entity, member=house.member.pk, role="root"
        ),
    }
    assert answer(acts[action]) == 400
