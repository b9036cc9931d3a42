"""`manage.py staff`: who is let into a group is staff with its rights, and no longer than that."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from licensing.models import User
from tests.people import make_user


def run(*arguments: str) -> str:
    said = StringIO()
    call_command("staff", *arguments, stdout=said)
    return said.getvalue()


@pytest.fixture
def clara(db: None) -> User:
    """An account without rights."""
    return make_user("clara@store.example")


def test_who_joins_finance_is_staff_with_its_rights(clara: User) -> None:
    assert "is staff, in finance" in run("Clara@store.example", "--join", "finance")
    joined = User.objects.get(pk=clara.pk)
    assert joined.is_staff
    assert joined.has_perm("entitlements.record_transfer")
    assert not joined.has_perm("catalog.add_packageversion")


def test_who_leaves_the_last_group_is_staff_no_more(clara: User) -> None:
    run(clara.email, "--join", "finance")
    assert "is no staff, in no group" in run(clara.email, "--leave", "finance")
    left = User.objects.get(pk=clara.pk)
    assert not left.is_staff
    assert not left.has_perm("entitlements.view_payment")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody@store.example", "--join", "finance"), "no account"),
        (("clara@store.example", "--join", "kings"), "there is no kings; there is finance"),
    ],
)
def test_what_is_not_there_is_said(clara: User, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(*arguments)
