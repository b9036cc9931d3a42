"""Whether whoever is at the browser showed, shortly before signing, who they are."""

from __future__ import annotations

import time

from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest

from licensing.access import current_user
from licensing.models import User

SECOND_FACTOR = "mfa"


def require_recent_login(request: HttpRequest) -> None:
    """Raise allauth's ReauthenticationRequired unless the session's login is recent.

    allauth then keeps the form, asks for the password or the second factor, and sends the
    form on. Recent is what lies within SIGNING_RECENT_LOGIN minutes; an account with a second
    factor must have shown that one.
    """
    user = current_user(request)
    since = time.time() - settings.SIGNING_RECENT_LOGIN * 60
    recent = {
        record.get("method")
        for record in get_authentication_records(request, user)
        if record.get("at", 0) >= since
    }
    if not recent or (has_second_factor(user) and SECOND_FACTOR not in recent):
        raise ReauthenticationRequired


def has_second_factor(user: User) -> bool:
    """Whether the account has a second factor."""
    return bool(is_mfa_enabled(user))
