"""Rules of the machine: members come, change their role and go, accounts are closed."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import rule

from licensing.accepting import accept_invitation
from licensing.inviting import digest_of, invite
from licensing.membership import change_role, remove_member
from licensing.models import Invitation, LicensedEntity, Member
from licensing.party_locks import PartyRefused
from tests.entitlements.machine.acting import PEOPLE, Acting, attempt

MOST = st.one_of(st.just("ada"), PEOPLE)
ROLES = st.sampled_from(["owner", "signer", "engineer"])


class Joining(Acting):
    """Members, roles, accounts."""

    @rule(by=MOST, who=PEOPLE, number=st.integers(0, 1), role=st.one_of(st.none(), ROLES))
    def change_member(self, by: str, who: str, number: int, role: str | None) -> None:
        """Give a role, or take a member out."""
        house, gone = self.store.houses[number], role is None
        act: Any = remove_member if gone else partial(change_role, role=str(role))
        asked = {"account": self.store.people[by], "entity": house, "member": self._pk(house, who)}
        done = attempt(
            lambda: act(**asked),
            may=self._may_change(by, who, house, keeps=role == "owner"),
            refused=PartyRefused,
        )
        if done is not None and gone:
            del self.store.roles[house, who]
        elif done is not None:
            self.store.roles[house, who] = str(role)

    def _pk(self, house: LicensedEntity, who: str) -> int:
        found = Member.objects.filter(entity=house, user=self.store.people[who])
        return found.values_list("pk", flat=True).first() or 0

    def _may_change(self, by: str, who: str, house: LicensedEntity, *, keeps: bool) -> bool:
        """Owners may, and the last one stays one."""
        owners, role = self.store.owners(house), self.store.roles.get((house, who), "")
        stays = keeps or role != "owner" or bool(owners - {who})
        return by in owners and role != "" and stays

    @rule(by=MOST, who=PEOPLE, number=st.integers(0, 1), role=ROLES)
    def join(self, by: str, who: str, number: int, role: str) -> None:
        store, house, token = self.store, self.store.houses[number], uuid4().hex
        asked: dict[str, Any] = {"account": store.people[by], "entity": house, "role": role}
        may = by in store.owners(house) & store.verified and (house, who) not in store.roles
        email = store.people[who].email
        made = attempt(lambda: invite(**asked, email=email), may=may, refused=PartyRefused)
        if made is None or who not in store.active:
            return
        Invitation.objects.filter(pk=made.pk).update(token_sha256=digest_of(token))
        came = attempt(
            lambda: accept_invitation(token=token, account=store.people[who]),
            may=who in store.verified,
            refused=PartyRefused,
        )
        if came is not None:
            store.roles[house, who] = role

    @rule(who=PEOPLE)
    def close_or_open_account(self, who: str) -> None:
        user = self.store.people[who]
        user.is_active = not user.is_active
        user.save(update_fields=["is_active"])
        self.store.active ^= {who}
