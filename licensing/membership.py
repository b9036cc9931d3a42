"""Roles, removal, leaving, handing over. What Postgres refuses at commit is told here first."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from licensing.inviting import open_invitations
from licensing.models import LicensedEntity, Member, User
from licensing.party_locks import PartyRefused, lock_entity, membership_of, require_owner

LAST_OWNER = "An entity with members has an owner: make somebody else an owner first."
GONE = "This person is no longer a member."


@transaction.atomic
def change_role(*, account: User, entity: LicensedEntity, member: int, role: str) -> Member:
    """Give a member another role, as an owner. Raises PartyRefused."""
    lock_entity(entity)
    require_owner(account, entity)
    changed = _member(entity, member)
    if role not in Member.Role.values:
        raise PartyRefused("There is no such role.", status=400)
    if role != Member.Role.OWNER:
        _require_another_owner(changed)
        _revoke_offers(changed)
    changed.role = role
    changed.save(update_fields=["role"])
    return changed


@transaction.atomic
def remove_member(*, account: User, entity: LicensedEntity, member: int) -> Member:
    """Take a member out, as an owner: their links and pages close at once. Raises PartyRefused."""
    lock_entity(entity)
    require_owner(account, entity)
    removed = _member(entity, member)
    _require_another_owner(removed)
    _revoke_offers(removed)
    removed.delete()
    return removed


@transaction.atomic
def leave(*, account: User, entity: LicensedEntity) -> None:
    """Give up one's own membership. The last owner cannot. Raises PartyRefused."""
    lock_entity(entity)
    own = membership_of(account, entity)
    _require_another_owner(own)
    _revoke_offers(own)
    own.delete()


@transaction.atomic
def transfer_ownership(*, account: User, entity: LicensedEntity, member: int) -> Member:
    """Make another member an owner, and the owner who asks a signer. Raises PartyRefused."""
    lock_entity(entity)
    own = require_owner(account, entity)
    heir = _member(entity, member)
    if heir.pk == own.pk:
        raise PartyRefused("You are an owner already: choose another member.")
    if not heir.user.is_active:
        raise PartyRefused("This person's account is closed.")
    _revoke_offers(own)
    for each, role in ((heir, Member.Role.OWNER), (own, Member.Role.SIGNER)):
        each.role = role
        each.save(update_fields=["role"])
    return heir


def end_membership(member: Member) -> None:
    """Take out a member whose account goes, in a transaction that locked the entity.

    The caller has seen that others, if there are any, keep an owner.
    """
    _revoke_offers(member)
    member.delete()


def has_other_members(member: Member) -> bool:
    """Whether somebody else acts for the member's entity too."""
    return Member.objects.filter(entity=member.entity_id).exclude(pk=member.pk).exists()


def has_other_owner(member: Member) -> bool:
    """Whether the entity has another owner. One whose account is closed can do nothing."""
    return (
        Member.objects.filter(entity=member.entity_id, role=Member.Role.OWNER, user__is_active=True)
        .exclude(pk=member.pk)
        .exists()
    )


def _member(entity: LicensedEntity, pk: int) -> Member:
    found = Member.objects.select_related("user").filter(entity=entity, pk=pk).first()
    if found is None:
        raise PartyRefused(GONE, status=404)
    return found


def _revoke_offers(leaving: Member) -> None:
    # Or a former owner could come back by an invitation of their own.
    offers = open_invitations(leaving.entity).filter(invited_by=leaving.user)
    offers.update(revoked_at=timezone.now())


def _require_another_owner(leaving: Member) -> None:
    if leaving.role == Member.Role.OWNER and not has_other_owner(leaving):
        raise PartyRefused(LAST_OWNER)
