"""The staff's site asks for a second factor, where the store is set so."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from licensing.access import is_member_account
from licensing.recent_login import has_second_factor

Answer = Callable[[HttpRequest], HttpResponseBase]


def second_factor_for_staff(get_response: Answer) -> Answer:
    """Below /staff/, send who is signed in without a second factor to set one up."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if (
            settings.STAFF_REQUIRE_MFA
            and request.path.startswith("/staff/")
            and is_member_account(request.user)
            and not has_second_factor(request.user)
        ):
            messages.warning(request, "The staff's site needs a second factor: set one up here.")
            return redirect("mfa_index")
        return get_response(request)

    return answer
