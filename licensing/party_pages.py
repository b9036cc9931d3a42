"""What an entity's page shows to each of its members, and what a refused form brings back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from licensing.access import current_user, entities_of
from licensing.acting import acting_entity
from licensing.inviting import open_invitations
from licensing.models import LicensedEntity, Member
from licensing.party_forms import WHAT_ROLES_DO, InviteForm, RoleForm
from licensing.party_locks import PartyRefused


@dataclass(frozen=True, kw_only=True)
class Row:
    """A member, and the form that changes their role."""

    member: Member
    form: RoleForm


def find_entity(request: HttpRequest, pk: UUID) -> LicensedEntity:
    """An entity of the person who asks, or 404."""
    return get_object_or_404(entities_of(current_user(request)), pk=pk)


def entity_page(
    request: HttpRequest,
    entity: LicensedEntity,
    *,
    invite_form: InviteForm | None = None,
    role_form: tuple[int, RoleForm] | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of an entity. Its members see who is in it; owners get the forms."""
    members = list(entity.members.select_related("user").order_by("pk"))
    own = next((each for each in members if each.user_id == current_user(request).pk), None)
    if own is None:
        raise Http404("You are not a member of this entity.")
    bound = dict([role_form]) if role_form else {}
    if bound.keys() - {each.pk for each in members}:
        raise Http404("This person is not a member.")
    is_owner = own.role == Member.Role.OWNER
    context = {
        "entity": entity,
        "own": own,
        "is_owner": is_owner,
        "acts": acting_entity(request) == entity,
        "rows": [Row(member=each, form=bound.get(each.pk) or _role_form(each)) for each in members],
        "invitations": open_invitations(entity).select_related("invited_by") if is_owner else [],
        "invite_form": invite_form or InviteForm(),
        "what_roles_do": WHAT_ROLES_DO,
        "problem": problem,
    }
    return render(request, "licensing/entity.html", context, status=status)


def do(
    request: HttpRequest, entity: LicensedEntity, action: Callable[[], object], *, said: str
) -> HttpResponse:
    """Do one thing to the entity and go back to its page, which says so or says why not."""
    try:
        action()
    except PartyRefused as refusal:
        return refused(request, entity, refusal)
    messages.success(request, said)
    still_in = entities_of(current_user(request)).filter(pk=entity.pk).exists()
    return redirect(entity if still_in else "entitlements:account")


def refused(request: HttpRequest, entity: LicensedEntity, refusal: PartyRefused) -> HttpResponse:
    """The entity's page with the reason; 404 for what is not there or not theirs to know."""
    if refusal.status == 404:
        raise Http404(str(refusal))
    return entity_page(request, entity, problem=str(refusal), status=refusal.status)


def _role_form(member: Member) -> RoleForm:
    return RoleForm(initial={"role": member.role}, auto_id=f"id_%s_{member.pk}")
