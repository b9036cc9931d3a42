"""One change at a time to who is in an entity, by who is entitled to it at that moment."""

from __future__ import annotations

from licensing.access import SIGNING_ROLES
from licensing.models import LicensedEntity, Member, User

NOT_YOURS = "Only an owner may do this: ask an owner of the entity."
CLOSED = "This account is closed."
NOT_A_MEMBER = "You are not a member of this entity."


class PartyRefused(Exception):
    """Nothing about the entity changed; the message says why, `status` is the HTTP status."""

    def __init__(self, reason: str, *, status: int = 409) -> None:
        super().__init__(reason)
        self.status = status


def lock_entity(entity: LicensedEntity) -> LicensedEntity:
    """The entity's row as it is now, held until the transaction ends.

    Who waits here sees what the one before changed: roles are read after this lock alone.
    """
    # Without the key: a signature or purchase of the entity, which refers to it, need not wait.
    return LicensedEntity.objects.select_for_update(no_key=True).get(pk=entity.pk)


def lock_account(account: User) -> bool:
    """Hold the account's row until the transaction ends; False when there is no such account.

    Who signs or joins calls this after `lock_entity`, so that an account that is being deleted
    does neither, and one that does either is deleted after it.
    """
    # Foreign keys alone are checked at commit, which is too late to wait for each other.
    locked = User.objects.select_for_update(no_key=True).filter(pk=account.pk, is_active=True)
    return locked.first() is not None


def membership_of(account: User, entity: LicensedEntity) -> Member:
    """The account's own membership; refused for anybody else."""
    member = Member.objects.filter(entity=entity, user=account).first()
    if member is None or not account.is_active:
        raise PartyRefused(NOT_A_MEMBER, status=404)
    return member


def require_owner(account: User, entity: LicensedEntity) -> Member:
    """The account's membership, if it is an owner's."""
    member = membership_of(account, entity)
    if member.role != Member.Role.OWNER:
        raise PartyRefused(NOT_YOURS, status=403)
    return member


def holds_right_to_sign(account: User, entity: LicensedEntity) -> bool:
    """Whether the account may bind the entity; if so, it may until the transaction ends."""
    # Race: who takes the right away at this moment. The second of the two waits for the first.
    held = Member.objects.select_for_update(of=("self",), no_key=True).filter(
        entity=entity, user=account, role__in=SIGNING_ROLES
    )
    return held.first() is not None
