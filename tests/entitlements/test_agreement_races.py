"""Signing and binding while something else happens, each over a connection of its own."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import transaction

from catalog.models import PackageVersion
from entitlements.agreeing import AgreementRefused, bind_newer_terms
from entitlements.models import AdditionalSignature, Purchase
from entitlements.purchasing import PurchaseRefused, open_purchase
from licensing.accepting import accept_invitation
from licensing.membership import change_role, remove_member
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from licensing.party_locks import PartyRefused
from licensing.signing import SigningRefused, TermsChanged
from tests.entitlements.machine import promises
from tests.entitlements.test_newer_terms import publish_terms
from tests.licensing.parties import TOKEN, invitation_to, join, roles
from tests.people import make_user
from tests.shop import sign
from tests.threads import Rival, at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def signer(entity: LicensedEntity) -> Member:
    """A second person who may bind the entity."""
    user = make_user("sam@meridian.example", name="Sam Ito")
    return Member.objects.create(entity=entity, user=user, role=Member.Role.SIGNER)


def test_two_people_who_sign_for_one_entity_at_once_both_have_signed(
    published: PackageVersion, terms: LicenceTerms, owner: User, signer: Member
) -> None:
    licence: dict[str, Any] = {"version": published, "terms": terms, "entity": signer.entity}
    people = [owner, signer.user] * 3
    assert at_once(*(partial(sign, account=who, **licence) for who in people)) == []
    assert LicenceSignature.objects.count() == len(people)
    assert promises.breaches() == {}


def test_who_signs_while_the_terms_are_superseded_reads_the_new_ones_first(
    published: PackageVersion, terms: LicenceTerms, owner: User, entity: LicensedEntity
) -> None:
    signing = partial(sign, account=owner, version=published, entity=entity, terms=terms)
    with transaction.atomic():
        publish_terms("1.1")
        rival = Rival(signing)
        assert rival.is_waiting()
    assert [type(each) for each in rival.finish()] == [TermsChanged]
    assert not LicenceSignature.objects.exists()


def test_terms_that_are_published_while_somebody_signs_come_after(
    published: PackageVersion, terms: LicenceTerms, owner: User, entity: LicensedEntity
) -> None:
    with transaction.atomic():
        made = sign(account=owner, version=published, entity=entity, terms=terms)
        rival = Rival(lambda: publish_terms("1.1"))
        assert rival.is_waiting()
    assert rival.finish() == []
    newer = LicenceTerms.current("enterprise")
    assert newer is not None
    assert (made.terms, newer.version) == (terms, "1.1")
    assert made.signed_at < newer.published_at


@pytest.mark.parametrize("act", [remove_member, partial(change_role, role="engineer")])
def test_who_signs_while_the_right_is_taken_away_has_not_signed(
    published: PackageVersion,
    terms: LicenceTerms,
    owner: User,
    signer: Member,
    act: partial[Member],
) -> None:
    signing = partial(sign, account=signer.user, version=published, terms=terms)
    with transaction.atomic():
        act(account=owner, entity=signer.entity, member=signer.pk)
        rival = Rival(partial(signing, entity=signer.entity))
        assert rival.is_waiting()
    assert [type(each) for each in rival.finish()] == [SigningRefused]
    assert not LicenceSignature.objects.exists()


def test_the_right_is_taken_away_after_who_is_signing(
    published: PackageVersion, terms: LicenceTerms, owner: User, signer: Member
) -> None:
    removing = partial(remove_member, account=owner, entity=signer.entity, member=signer.pk)
    with transaction.atomic():
        sign(account=signer.user, version=published, entity=signer.entity, terms=terms)
        rival = Rival(removing)
        assert rival.is_waiting()
    assert rival.finish() == []
    assert LicenceSignature.objects.get().account == signer.user
    assert roles(signer.entity) == {"ada": "owner"}


def test_who_accepts_while_their_host_is_removed_is_refused(
    entity: LicensedEntity, owner: User
) -> None:
    host, guest = join(entity, "olu@meridian.example", "owner"), make_user("nia@x.example")
    invitation_to(entity, guest.email, by=host.user, role="owner")
    with transaction.atomic():
        remove_member(account=owner, entity=entity, member=host.pk)
        rival = Rival(partial(accept_invitation, token=TOKEN, account=guest))
        assert rival.is_waiting()
    assert [type(each) for each in rival.finish()] == [PartyRefused]
    assert roles(entity) == {"ada": "owner"}


def test_who_accepts_after_being_removed_is_a_member_by_the_new_invitation(
    entity: LicensedEntity, owner: User, team_mate: User
) -> None:
    member = Member.objects.get(user=team_mate)
    invitation_to(entity, team_mate.email, by=owner, role="signer")
    with transaction.atomic():
        remove_member(account=owner, entity=entity, member=member.pk)
        rival = Rival(partial(accept_invitation, token=TOKEN, account=team_mate))
        assert rival.is_waiting()
    assert rival.finish() == []
    assert roles(entity) == {"ada": "owner", "tomas": "signer"}


def test_a_signature_that_is_being_bound_buys_nothing(
    bought: Purchase, owner: User, terms: LicenceTerms
) -> None:
    unused = sign(account=owner, version=bought.version, entity=bought.entity, terms=terms)
    with transaction.atomic():
        bind_newer_terms(entitlement=bought.entitlement, signature=unused)
        rival = Rival(partial(open_purchase, signature=unused, buyer=owner))
        assert rival.is_waiting()
    assert [type(each) for each in rival.finish()] == [PurchaseRefused]
    assert Purchase.objects.get() == bought


def test_a_signature_that_is_being_bought_with_is_not_bound(
    bought: Purchase, owner: User, terms: LicenceTerms
) -> None:
    unused = sign(account=owner, version=bought.version, entity=bought.entity, terms=terms)
    with transaction.atomic():
        open_purchase(signature=unused, buyer=owner)
        rival = Rival(partial(bind_newer_terms, entitlement=bought.entitlement, signature=unused))
        assert rival.is_waiting()
    assert [type(each) for each in rival.finish()] == [AgreementRefused]
    assert not AdditionalSignature.objects.exists()
