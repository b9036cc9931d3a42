"""An account that is deleted while it, or somebody beside it, does something else."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import transaction

from catalog.models import PackageVersion
from licensing.accepting import accept_invitation
from licensing.deleting import delete_account
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from licensing.signing import SigningRefused
from tests.licensing.parties import TOKEN, invitation_to, join, roles
from tests.shop import sign
from tests.threads import Rival, at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def signing(
    owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> Any:
    """The owner's signature, when it is called."""
    return partial(sign, account=owner, version=published, entity=entity, terms=terms)


def test_of_two_owners_who_go_at_once_one_stays_for_the_others(
    entity: LicensedEntity, owner: User, team_mate: User
) -> None:
    other = join(entity, "olu@meridian.example", "owner").user
    raised = at_once(*(partial(delete_account, account=who) for who in (owner, other)))
    assert [type(each) for each in raised] == [PartyRefused]
    assert sorted(roles(entity).values()) == ["engineer", "owner"]


def test_pressed_twice_at_once_it_goes_once(entity: LicensedEntity, owner: User) -> None:
    go = partial(delete_account, account=owner)
    assert at_once(go, go, go) == []
    assert not User.objects.exists()


def test_who_signs_while_the_account_goes_signs_nothing(signing: Any, owner: User) -> None:
    with transaction.atomic():
        delete_account(account=owner)
        rival = Rival(signing)
        assert rival.is_waiting()
    [refusal] = rival.finish()
    assert isinstance(refusal, SigningRefused)
    assert not LicenceSignature.objects.exists()


def test_an_account_that_signs_goes_after_it_and_its_entity_stays(
    signing: Any, owner: User, entity: LicensedEntity
) -> None:
    with transaction.atomic():
        signing()
        rival = Rival(partial(delete_account, account=owner))
        assert rival.is_waiting()
    assert rival.finish() == []
    assert LicenceSignature.objects.get().entity == entity
    assert not User.objects.exists()


def test_who_joins_meanwhile_is_not_left_without_an_owner(
    entity: LicensedEntity, owner: User, outsider: User
) -> None:
    invitation_to(entity, outsider.email, by=owner)
    with transaction.atomic():
        accept_invitation(token=TOKEN, account=outsider)
        rival = Rival(partial(delete_account, account=owner))
        assert rival.is_waiting()
    [refusal] = rival.finish()
    assert isinstance(refusal, PartyRefused)
    assert Member.objects.filter(entity=entity).count() == 2


def test_an_entity_joined_meanwhile_stops_it(
    entity: LicensedEntity, owner: User, outsider: User
) -> None:
    invitation_to(entity, outsider.email, by=owner)
    with transaction.atomic():
        # It holds the account's row, as the new membership refers to it.
        accept_invitation(token=TOKEN, account=outsider)
        rival = Rival(partial(delete_account, account=outsider))
        assert rival.is_waiting()
    [refusal] = rival.finish()
    assert "changed just now" in str(refusal)
    assert roles(entity) == {"ada": "owner", "otto": "engineer"}
