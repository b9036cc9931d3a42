"""The five promises after every step of whatever staff, buyers, strangers and thieves may do.

A model in plain objects says what must be allowed and what each link must open; raw SQL asks
Postgres. `TOUCHSTONE_HYPOTHESIS=thorough` makes many more and longer walks.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Verbosity, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from entitlements.doors import closed_because
from entitlements.evidence.checking import check_evidence
from entitlements.links import LinkRefused, redeem
from entitlements.models import Entitlement
from licensing.models import LicensedEntity, Member, User
from licensing.publishing_terms import publish_text
from receipts.models import SigningKey
from tests.entitlements.machine import promises
from tests.entitlements.machine.buying import Buying
from tests.entitlements.machine.delivering import Delivering, figures_of, write_definition
from tests.entitlements.machine.joining import Joining
from tests.entitlements.machine.model import Offer, Store, Text
from tests.entitlements.machine.paying import Paying
from tests.entitlements.machine.signing import Signing, text_of
from tests.entitlements.test_signature_expiry import migrated_with
from tests.people import make_user
from tests.shop import SAMPLE, sign

CARD = "/packages/kimi-k3-8xb300/card.json"
THOROUGH = os.environ.get("TOUCHSTONE_HYPOTHESIS") == "thorough"
WALKS = settings(
    max_examples=100 if THOROUGH else 10,
    stateful_step_count=60 if THOROUGH else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    verbosity=Verbosity.normal,
)


class TheStore(Signing, Joining, Buying, Paying, Delivering, RuleBasedStateMachine):
    """One store, from its first terms on; every walk begins with the same rows."""

    def __init__(self, *, begin: Any, folder: Path, settings: Any) -> None:
        super().__init__()
        self.store: Store = begin()
        self.folder, self.settings = folder, settings
        self.usual: int = settings.SIGNATURE_VALID_DAYS
        self.seen: dict[promises.Row, bytes] = {}
        self.told: dict[str, str] = {}
        self.shown: tuple[Offer, bool] | None = None
        cache.clear()
        self.rows = transaction.atomic()
        self.rows.__enter__()

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.end()
        finally:
            self._undo()

    def end(self) -> None:
        """What each walk is asked at its end: nothing can be rewritten, and all of it adds up."""
        for signed in self.store.signed:
            # The same form again, whatever was published and whoever was removed since.
            assert sign(**signed.arguments) == signed.row
        self.attack()
        assert check_evidence(say=str)["licensing_licencesignature"] == len(self.store.signed)

    def _undo(self) -> None:
        transaction.set_rollback(True)
        self.rows.__exit__(None, None, None)
        if self.store.late:
            migrated_with(self.usual, self.settings)

    @initialize(steps=st.sampled_from([4, 4, 4, 3, 2, 0]), lapsed=st.booleans())
    def begin_with_a_sale(self, steps: int, lapsed: bool) -> None:
        """Most walks begin where a licence is signed, a purchase open, or paid."""
        walk = (
            partial(self.sign, "ada", 0, "enterprise"),
            partial(self.open_purchase, 0),
            partial(self.pay, 0, lapsed),
            partial(self.issue_links, 0, 0),
        )
        for step in walk[:steps]:
            step()

    @rule()
    def let_time_pass_or_return(self) -> None:
        """The rows of signatures never change: the time that they are good for does."""
        self.store.late = not self.store.late
        migrated_with(-1 if self.store.late else self.usual, self.settings)

    @invariant()
    def a_commit_would_pass_and_no_row_breaks_a_promise(self) -> None:
        promises.commit_would_pass()
        assert promises.breaches() == {}
        meant = {table: len(getattr(self.store, kept)) for table, kept in promises.COUNTS.items()}
        assert promises.counts() == meant
        assert {
            str(s.row.pk): sum(c.kept for c in s.charges) for s in self.store.paid_sales()
        } == promises.kept()

    @invariant()
    def every_row_of_evidence_is_there_as_it_was(self) -> None:
        now = promises.fingerprints()
        assert {row: now.get(row) for row in self.seen} == self.seen
        self.seen = now

    @invariant()
    def each_version_is_open_to_who_is_entitled_now(self) -> None:
        for sale, offer in self.store.pairs():
            entitlement = Entitlement.objects.get(purchase=sale.row)
            version = PackageVersion.objects.get(pk=offer.row.pk)
            reason = closed_because(entitlement=entitlement, version=version)
            assert (reason == "") is self.store.is_open(sale, offer), reason

    @invariant()
    def each_link_opens_a_signed_kit_to_who_is_entitled_now_alone(self) -> None:
        """Each is used anew as soon as the model says something else of it than before."""
        signed = promises.signed_kits()
        for (sale, offer, who), token in self.store.links.items():
            means = signed[offer.row.pk] if self.store.opens(sale, offer, who) else ""
            if self.told.get(token) != means:
                assert kit_of(token) == means
                self.told[token] = means

    @invariant()
    def the_card_shows_the_definition_of_what_is_on_sale(self) -> None:
        offer = self.store.on_sale()
        assert offer is not None
        if self.shown == (now := (offer, offer.kid in self.store.revoked)):
            return
        self.shown = now
        card = Client().get(CARD).json()
        assert (card["version"], card["price_minor"]) == (offer.row.version, offer.price_minor)
        shown = [Decimal(str(each["value"])) for each in card["figures"]]
        assert shown == [Decimal(each) for each in offer.figures]
        assert card["signed"] is (offer.kid not in self.store.revoked)


def kit_of(token: str) -> str:
    """The digest of the bytes that a link brings, or "" where it is refused."""
    try:
        opened = redeem(token=token)
    except LinkRefused:
        return ""
    with opened.file as file:
        return hashlib.sha256(file.read()).hexdigest()


@pytest.fixture
def opened(
    keys: None, owner: User, entity: LicensedEntity, team_mate: User, outsider: User, tmp_path: Path
) -> Any:
    """What makes the model of a store with one text, one version, two entities, five people."""
    elsewhere = outsider.memberships.get().entity
    sam = make_user("sam@meridian.example", name="Sam Ito")
    uma = make_user("uma@elsewhere.example", name="Uma Lind", verified=False)
    for house, user in ((entity, sam), (elsewhere, uma)):
        Member.objects.create(entity=house, user=user, role=Member.Role.SIGNER)
    people = {"ada": owner, "sam": sam, "tomas": team_mate, "otto": outsider, "uma": uma}
    text = Text(row=publish_text(body=text_of("enterprise", 0))[0], family="enterprise", place=0)
    folder = Path(shutil.copytree(SAMPLE, tmp_path / "package"))
    definition = write_definition(folder, 0, "")
    version = publish_version(folder=folder)[0]
    kid = version.benchmark_receipt.key_id if version.benchmark_receipt else ""
    price = round(definition["price"]["one_time"] * 100)
    figures = figures_of(definition)

    def begin() -> Store:
        for user in people.values():
            user.refresh_from_db()
        return Store(
            people=people,
            verified=set(people) - {"uma"},
            houses=[entity, elsewhere],
            roles={
                (each.entity, who): each.role
                for each in Member.objects.select_related("entity")
                for who, user in people.items()
                if user.pk == each.user_id
            },
            active=set(people),
            keys={each.purpose: each.kid for each in SigningKey.objects.all()},
            texts=[text],
            offers=[Offer(row=version, price_minor=price, figures=figures, asks=text, kid=kid)],
        )

    return begin


def test_the_five_promises_hold_whatever_happens(
    opened: Any, tmp_path: Path, settings: Any
) -> None:
    begin = partial(TheStore, begin=opened, folder=tmp_path / "package", settings=settings)
    run_state_machine_as_test(begin, settings=WALKS)  # type: ignore[arg-type]  # it calls it
