from __future__ import annotations

import time
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.app_settings import REAUTHENTICATION_TIMEOUT
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired

from licensing.recent_login import SECOND_FACTOR, has_second_factor


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Asks for the second factor, where an account has one, and for nothing in its place."""

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """The ways to show again who one is; the first is the one that is asked for."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return sorted(methods, key=lambda each: not each["id"].startswith("mfa"))

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Whether a page asks again. Raises ReauthenticationRequired for a second factor.

        Of itself allauth would be content with the password, and let it remove the factor.
        """
        required = bool(super().is_reauthentication_required(app=app))
        if required and has_second_factor(self.request.user) and not self._showed_factor():
            raise ReauthenticationRequired
        return required

    def _showed_factor(self) -> bool:
        since = time.time() - REAUTHENTICATION_TIMEOUT
        records = get_authentication_records(self.request, self.request.user)
        return any(
            each.get("method") == SECOND_FACTOR and each.get("at", 0) >= since for each in records
        )
