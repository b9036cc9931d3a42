"""Rules of the machine: terms are published and signed."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from licensing.models import LicensedEntity
from licensing.publishing_terms import TermsAreFinal, publish_text
from licensing.signing import EntityDetails, SigningRefused
from licensing.terms_text import AFFIRMATIONS
from tests.entitlements.machine.acting import PEOPLE, Acting, attempt
from tests.entitlements.machine.model import Signed, Text, pick
from tests.shop import ALL_MARKS, TERMS, sign

FAMILIES = st.sampled_from(["enterprise", "enterprise", "enterprise", "evaluation"])
FAULTS: dict[str, dict[str, Any]] = {
    "none": {},
    "no mark": {"affirmed": {**ALL_MARKS, AFFIRMATIONS[0]: False}},
    "a missing mark": {"affirmed": {k: v for k, v in ALL_MARKS.items() if k != AFFIRMATIONS[3]}},
    "a fifth mark": {"affirmed": {**ALL_MARKS, "fifth": True}},
    "no consent": {"consented": False},
    "another name": {"signer_name": "Somebody Else"},
    "an older text": {"read_terms_sha256": "0" * 64},
}


def text_of(family: str, place: int) -> bytes:
    """The bytes of a version of some terms."""
    text = TERMS.read_bytes().replace(b"Version: 1.0", f"Version: 1.{place}".encode())
    return text.replace(b"Family: enterprise", f"Family: {family}".encode())


class Signing(Acting):
    """Terms and signatures."""

    @rule(family=FAMILIES)
    def publish_terms(self, family: str) -> None:
        """The next version of a text; under the same number its bytes are final."""
        place = sum(each.family == family for each in self.store.texts)
        body = text_of(family, place)
        row, new = publish_text(body=body)
        assert new
        self.store.texts.append(Text(row=row, family=family, place=place))
        assert publish_text(body=body) == (row, False)
        attempt(lambda: publish_text(body=body + b"\n"), may=False, refused=TermsAreFinal)

    @rule(who=PEOPLE, number=st.integers(0, 3), family=FAMILIES)
    def sign(self, who: str, number: int, family: str) -> None:
        """Most often for an entity of one's own: the first that one is a member of."""
        own = [house for house, member in self.store.roles if member == who]
        houses = self.store.houses if number == 3 or not own else own[:1]
        self._sign(who, pick(houses, number), family, "none")

    @precondition(lambda self: len(self.store.houses) < 4)
    @rule(who=PEOPLE)
    def sign_for_a_new_entity(self, who: str) -> None:
        named = EntityDetails(legal_name=f"House of {who}", country="FR", address="Rue 1")
        self._sign(who, named, "enterprise", "none")

    @rule(family=FAMILIES)
    def sign_wrongly(self, family: str) -> None:
        """Everybody who may not sign, and who may with everything that can be wrong."""
        for house in self.store.houses[:2]:
            for who in self.store.people:
                may = who in self.store.verified and self._binds(who, house)
                for fault in FAULTS if may else ["none"]:
                    if fault != "none" or not may:
                        self._sign(who, house, family, fault)

    def _binds(self, who: str, house: LicensedEntity | EntityDetails) -> bool:
        if isinstance(house, EntityDetails):
            return True
        return self.store.roles.get((house, who)) in {"owner", "signer"}

    def _sign(
        self, who: str, house: LicensedEntity | EntityDetails, family: str, fault: str
    ) -> None:
        store, text = self.store, self.store.current(family)
        if text is None or who not in store.active:
            return
        arguments: dict[str, Any] = {
            "account": store.people[who],
            "version": store.offers[0].row,
            "entity": house,
            "terms": text.row,
            "attempt": uuid4(),
            **FAULTS[fault],
        }
        if fault == "an older text" and text.place:
            older = [each for each in store.texts if each.family == family][-2]
            arguments["read_terms_sha256"] = older.row.sha256
        may = (
            fault == "none"
            and who in store.verified
            and self._binds(who, house)
            and "licence" in store.keys
        )
        made = attempt(lambda: sign(**arguments), may=may, refused=SigningRefused)
        if made is None:
            return
        if isinstance(house, EntityDetails):
            store.houses.append(made.entity)
            store.roles[made.entity, who] = "owner"
        store.signed.append(Signed(row=made, house=made.entity, text=text, arguments=arguments))
