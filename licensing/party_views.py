"""Pages under /account/entities/: who is in an entity, who is invited, how it is named."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from licensing.access import current_user
from licensing.acting import act_for
from licensing.entity_details import change_details
from licensing.inviting import invite as invite_person
from licensing.inviting import revoke_invitation
from licensing.membership import change_role, remove_member, transfer_ownership
from licensing.membership import leave as leave_entity
from licensing.party_forms import DetailsForm, InviteForm, RoleForm
from licensing.party_locks import PartyRefused, require_owner
from licensing.party_pages import do, entity_page, find_entity, refused


@never_cache
@login_required
@require_safe
def entity(request: HttpRequest, entity: UUID) -> HttpResponse:
    """One entity: its details, its members and, for owners, its invitations."""
    return entity_page(request, find_entity(request, entity))


@never_cache
@login_required
@require_POST
def act(request: HttpRequest, entity: UUID) -> HttpResponse:
    """Act for this entity from now on."""
    chosen = find_entity(request, entity)
    act_for(request, chosen)
    messages.success(request, f"You act for {chosen} now.")
    return redirect("entitlements:account")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, entity: UUID) -> HttpResponse:
    """Name the entity anew, as an owner."""
    found, user = find_entity(request, entity), current_user(request)
    form = DetailsForm(request.POST if request.method == "POST" else None, entity=found)
    try:
        require_owner(user, found)
        if form.is_valid():
            change_details(account=user, entity=found, details=form.details())
            messages.success(request, "The details are changed, for what will be signed.")
            return redirect(found)
    except PartyRefused as refusal:
        return refused(request, found, refusal)
    status = 400 if form.is_bound else 200
    return render(
        request, "licensing/entity_edit.html", {"entity": found, "form": form}, status=status
    )


@never_cache
@login_required
@require_POST
def invite(request: HttpRequest, entity: UUID) -> HttpResponse:
    """Invite somebody by mail, as an owner; the same address again gets a new link."""
    found, user = find_entity(request, entity), current_user(request)
    form = InviteForm(request.POST)
    try:
        require_owner(user, found)
        if form.is_valid():
            invite_person(account=user, entity=found, **form.cleaned_data)
            messages.success(request, f"{form.cleaned_data['email']} is invited.")
            return redirect(found)
    except PartyRefused as refusal:
        return refused(request, found, refusal)
    return entity_page(request, found, invite_form=form, status=400)


@never_cache
@login_required
@require_POST
def revoke(request: HttpRequest, entity: UUID, invitation: int) -> HttpResponse:
    """Take an invitation back, as an owner."""
    found, user = find_entity(request, entity), current_user(request)
    action = partial(revoke_invitation, account=user, entity=found, invitation=invitation)
    return do(request, found, action, said="The invitation is taken back: its link has ended.")


@never_cache
@login_required
@require_POST
def role(request: HttpRequest, entity: UUID, member: int) -> HttpResponse:
    """Give a member another role, as an owner."""
    found, user = find_entity(request, entity), current_user(request)
    form = RoleForm(request.POST, auto_id=f"id_%s_{member}")
    try:
        require_owner(user, found)
    except PartyRefused as refusal:
        return refused(request, found, refusal)
    if not form.is_valid():
        return entity_page(request, found, role_form=(member, form), status=400)
    action = partial(change_role, account=user, entity=found, member=member, **form.cleaned_data)
    return do(request, found, action, said="The role is changed.")


@never_cache
@login_required
@require_POST
def remove(request: HttpRequest, entity: UUID, member: int) -> HttpResponse:
    """Take a member out, as an owner."""
    found, user = find_entity(request, entity), current_user(request)
    action = partial(remove_member, account=user, entity=found, member=member)
    return do(request, found, action, said="The member is removed.")


@never_cache
@login_required
@require_POST
def transfer(request: HttpRequest, entity: UUID, member: int) -> HttpResponse:
    """Hand ownership over to a member, and stay as a signer."""
    found, user = find_entity(request, entity), current_user(request)
    action = partial(transfer_ownership, account=user, entity=found, member=member)
    return do(request, found, action, said="Ownership is handed over. You are a signer now.")


@never_cache
@login_required
@require_POST
def leave(request: HttpRequest, entity: UUID) -> HttpResponse:
    """Give up one's own membership."""
    found, user = find_entity(request, entity), current_user(request)
    action = partial(leave_entity, account=user, entity=found)
    return do(request, found, action, said=f"You left {found}.")
