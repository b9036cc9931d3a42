from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Asks for the second factor first, where an account has one."""

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """The ways to show again who one is; the first is the one that is asked for."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return sorted(methods, key=lambda each: not each["id"].startswith("mfa"))
