"""Who may do what for whom. Every view asks here; nothing is open unless this says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from licensing.models import LicensedEntity, Member, User

if TYPE_CHECKING:
    from django.db.models import QuerySet

SIGNING_ROLES = (Member.Role.OWNER, Member.Role.SIGNER)


def is_member_account(user: User | AnonymousUser) -> TypeGuard[User]:
    """Whether somebody is signed in with an account that may act."""
    return isinstance(user, User) and bool(user.is_authenticated and user.is_active)


def current_user(request: HttpRequest) -> User:
    """The account behind a request that `login_required` let through."""
    if not isinstance(request.user, User):
        raise TypeError("the view is not behind login_required")
    return request.user


def has_verified_email(user: User) -> bool:
    """Whether the account's own address was confirmed by mail."""
    found = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return bool(found.exists())


def entities_of(user: User) -> QuerySet[LicensedEntity]:
    """The entities that the account is a member of."""
    return LicensedEntity.objects.filter(members__user=user).order_by("legal_name")


def entities_to_sign_for(user: User) -> QuerySet[LicensedEntity]:
    """The entities that the account may bind."""
    return LicensedEntity.objects.filter(
        members__user=user, members__role__in=SIGNING_ROLES
    ).order_by("legal_name")
