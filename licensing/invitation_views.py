"""The page of an invitation's link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from licensing.accepting import accept_invitation, decline_invitation, find_invitation, require_open
from licensing.access import current_user, entities_of
from licensing.acting import act_for
from licensing.party_locks import PartyRefused


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Read who invites, then accept or decline; the link again leads to the entity."""
    user = current_user(request)
    try:
        found = find_invitation(token=token, account=user)
        if request.method == "POST" and "decline" in request.POST:
            declined = decline_invitation(token=token, account=user)
            messages.success(request, f"You declined the invitation of {declined.entity}.")
            return redirect("entitlements:account")
        if request.method == "POST":
            member = accept_invitation(token=token, account=user)
            act_for(request, member.entity)
            messages.success(request, f"You are a member of {member.entity} now: {member.role}.")
            return redirect(member.entity)
        if found.accepted_by == user and entities_of(user).filter(pk=found.entity_id).exists():
            return redirect(found.entity)
        require_open(found)
    except PartyRefused as refusal:
        context = {"problem": str(refusal)}
        return render(request, "licensing/invitation.html", context, status=refusal.status)
    return render(request, "licensing/invitation.html", {"invitation": found})
