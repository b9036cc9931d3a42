"""The desk as its people meet it: finance, a publisher, and staff without a right."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client

from licensing.models import User
from tests.people import make_user, signed_in

HOME = "/staff/finance/"


@pytest.fixture
def finance(db: None) -> User:
    """Staff in the group that `migrate` made."""
    user = make_user("fin@store.example", name="Fin Nance", staff=True)
    user.groups.add(Group.objects.get(name="finance"))
    return user


@pytest.fixture
def desk(finance: User) -> Client:
    """Finance, signed in."""
    return signed_in(finance)


def with_rights(email: str, *codenames: str) -> User:
    """Staff with these rights alone."""
    user = make_user(email, staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


def do(action: str, pk: object = "new") -> str:
    """The address of an action."""
    return f"{HOME}do/{action}/{pk}/"


def text_of(response: Any) -> str:
    """A page's words, with its entities read."""
    said: str = response.content.decode()
    return said.replace("&#x27;", "'").replace("&amp;", "&")
