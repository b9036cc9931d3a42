"""The cast: four people with fixed roles, so that every test can ask who may."""

from __future__ import annotations

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from django.http import HttpRequest
from django.test import Client

from licensing.models import LicensedEntity, Member, User


def make_user(email: str, *, name: str = "", verified: bool = True, staff: bool = False) -> User:
    """An account whose e-mail address is verified."""
    user = User.objects.create_user(email, "a long pass phrase", name=name, is_staff=staff)
    EmailAddress.objects.create(user=user, email=email, verified=verified, primary=True)
    return user


@pytest.fixture
def owner(db: None) -> User:
    """Who signs and buys for Meridian Labs."""
    return make_user("ada@meridian.example", name="Ada Okafor")


@pytest.fixture
def outsider(db: None) -> User:
    """A member of another entity."""
    user = make_user("otto@elsewhere.example", name="Otto Berg")
    other = LicensedEntity.objects.create(
        legal_name="Elsewhere AB", country="SE", address="Elsewhere 1"
    )
    Member.objects.create(entity=other, user=user, role=Member.Role.OWNER)
    return user


@pytest.fixture
def entity(owner: User) -> LicensedEntity:
    """The licensed entity that the owner acts for."""
    made = LicensedEntity.objects.create(
        legal_name="Meridian Labs GmbH",
        registration_number="HRB 12345",
        country="DE",
        address="Hauptstrasse 1, 10115 Berlin",
        tax_number="DE123456789",
    )
    Member.objects.create(entity=made, user=owner, role=Member.Role.OWNER)
    return made


@pytest.fixture
def team_mate(entity: LicensedEntity) -> User:
    """An engineer of the same entity."""
    user = make_user("tomas@meridian.example", name="Tomas Reyes")
    Member.objects.create(entity=entity, user=user, role=Member.Role.ENGINEER)
    return user


def signed_in(user: User) -> Client:
    """A browser in which somebody has just signed in with their password."""
    client = Client()
    client.force_login(user)
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password", email=user.email)
    request.session.save()
    return client
