"""The page on which a person deletes their account."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from licensing.access import current_user
from licensing.deleting import delete_account, entities_to_hand_over
from licensing.models import User
from licensing.party_locks import PartyRefused
from licensing.recent_login import require_recent_login

STAFF = (
    "This account is of the staff, and the log of what it published would go with it: whoever "
    "runs the store deletes it."
)


class DeleteForm(forms.Form):
    """The account's address, typed by who wants the account to be gone."""

    address = forms.CharField(
        max_length=254,
        label="Your e-mail address, to confirm",
        widget=forms.EmailInput({"autocomplete": "off"}),
    )

    def __init__(self, *args: object, account: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # as they came
        self.account = account

    def clean_address(self) -> str:
        """The typed address, if it is the account's."""
        typed: str = self.cleaned_data["address"]
        if typed.strip().lower() != self.account.email.lower():
            raise forms.ValidationError(f"Type {self.account.email} to delete this account.")
        return typed


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Read what goes and what stays, type the address, and the account is gone."""
    user = current_user(request)
    form = DeleteForm(request.POST if request.method == "POST" else None, account=user)
    if user.is_staff:
        return _page(request, form, problem=STAFF, status=403)
    if form.is_valid():
        require_recent_login(request)
        try:
            delete_account(account=user)
        except PartyRefused as refusal:
            return _page(request, form, problem=str(refusal), status=refusal.status)
        logout(request)
        messages.success(request, "Your account is deleted.")
        return redirect("catalog:catalogue")
    return _page(request, form, status=400 if form.is_bound else 200)


def _page(
    request: HttpRequest, form: DeleteForm, *, problem: str = "", status: int
) -> HttpResponse:
    context = {
        "form": form,
        "problem": problem,
        "to_hand_over": entities_to_hand_over(current_user(request)),
    }
    return render(request, "licensing/delete_account.html", context, status=status)
