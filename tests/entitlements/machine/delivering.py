"""Rules of the machine: versions and keys come and go, kits are fetched, evidence is attacked."""

from __future__ import annotations

import logging
import time
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from django.db import DatabaseError, transaction
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from catalog.reissuing import ReissuingRefused, reissue_receipt
from entitlements.links import LinkRefused, issue_link, redeem
from entitlements.models import Entitlement, Outbox
from entitlements.outbox import run_due
from receipts.key_life import revoke_key, rotate_key
from receipts.keys import create_key
from receipts.models import SigningKey
from tests.entitlements.machine import promises
from tests.entitlements.machine.acting import PLACES, Acting, attempt
from tests.entitlements.machine.model import Offer, pick
from tests.evidence import TABLES, key_of
from tests.shop import SAMPLE

logger = logging.getLogger(__name__)

PURPOSES = st.sampled_from(["benchmark", "buyer", "licence"])
MOST_OFFERS = 4
ROWS = ("UPDATE {table} SET {key} = {key}", "DELETE FROM {table}")
CHANGES = (
    *(change.format(table=table, key=key_of(table)) for change in ROWS for table in TABLES),
    'UPDATE catalog_packageversion SET data = data || \'{"title": "x"}\'',
    "UPDATE catalog_packageversion SET benchmark_receipt_id = NULL",
    "UPDATE catalog_packageversion SET state = 'draft'",
    "UPDATE catalog_kit SET size = size + 1",
    "DELETE FROM receipts_signingkey",
    "UPDATE receipts_signingkey SET public_key = public_key || public_key",
    "UPDATE receipts_signingkey SET status = 'active'",
    "UPDATE entitlements_purchase SET price_minor = price_minor + 1",
    "UPDATE entitlements_purchase SET state = 'paid', paid_at = coalesce(paid_at, now()) + '1 day'",
)


def figures_of(definition: dict[str, Any]) -> list[str]:
    """The measured figures of a definition's file, in its order."""
    return [
        str(each)
        for point in definition["serving_curve"]
        if point.get("characterised", True)
        for each in (
            point["per_gpu"],
            point["aggregate"],
            *(point[name]["p50"] for name in ("ttft", "tpot", "e2el")),
        )
    ]


def write_definition(folder: Path, place: int, terms: str) -> dict[str, Any]:
    """Write the sample's next version, with a price and a figure of its own."""
    text = (SAMPLE / "package.yaml").read_text()
    text = text.replace("version: 1.0.0", f"version: 1.{place}.0")
    text = text.replace("one_time: 2300.00", f"one_time: {2300 + place}.00")
    text = text.replace("p50: 5707.65", f"p50: {5707 + place}.65")
    if terms:
        text = text.replace("tier: enterprise", f"tier: enterprise\nlicence_terms: {terms}")
    (folder / "package.yaml").write_text(text)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


class Delivering(Acting):
    """Versions, keys, links, attacks."""

    folder: Path

    @precondition(lambda self: len(self.store.offers) < MOST_OFFERS)
    @rule(named=st.sampled_from(["", "", "oldest", "newest", "unpublished"]))
    def publish_version(self, named: str) -> None:
        store = self.store
        texts = [each for each in store.texts if each.family == "enterprise"]
        asks = {"oldest": texts[0], "unpublished": None}.get(named, texts[-1])
        version = f"1.{asks.place}" if asks else "9.9"
        terms = f'{{family: enterprise, version: "{version}"}}' if named else ""
        definition = write_definition(self.folder, len(store.offers), terms)
        made = attempt(
            lambda: publish_version(folder=self.folder),
            may="benchmark" in store.keys,
            refused=SigningKey.DoesNotExist,
        )
        if made is None:
            return
        price = round(definition["price"]["one_time"] * 100)
        store.offers.append(
            Offer(
                row=made[0],
                price_minor=price,
                figures=figures_of(definition),
                asks=asks,
                kid=store.keys["benchmark"],
            )
        )

    @precondition(lambda self: len([o for o in self.store.offers if not o.withdrawn]) > 1)
    @rule(number=PLACES)
    def withdraw(self, number: int) -> None:
        offer = pick([each for each in self.store.offers if not each.withdrawn], number)
        PackageVersion.objects.filter(pk=offer.row.pk).update(
            state="withdrawn", withdrawn_at=timezone.now(), withdrawal_reason="a fault"
        )
        offer.withdrawn = True

    @rule(purpose=PURPOSES, how=st.sampled_from(["renew", "revoke", "revoke an old one"]))
    def change_key(self, purpose: str, how: str) -> None:
        store = self.store
        if how == "renew" and purpose in store.keys:
            old, new = rotate_key(purpose=purpose)
            store.old_keys.add(old.kid)
            store.keys[purpose] = new.kid
        elif how == "renew":
            store.keys[purpose] = create_key(purpose=purpose).kid
        elif how == "revoke" and purpose in store.keys:
            self._revoke(store.keys.pop(purpose))
        elif store.old_keys:
            self._revoke(store.old_keys.pop())

    def _revoke(self, kid: str) -> None:
        revoke_key(kid=kid, compromised_since=timezone.now(), reason="a laptop was stolen")
        self.store.revoked.add(kid)

    @precondition(lambda self: self.store.revoked)
    @rule(number=PLACES)
    def reissue(self, number: int) -> None:
        store, offer = self.store, pick(self.store.offers, number)
        may = offer.kid in store.revoked and not offer.withdrawn and "benchmark" in store.keys
        made = attempt(
            lambda: reissue_receipt(version=offer.row, report=logger.debug),
            may=may,
            refused=(ReissuingRefused, SigningKey.DoesNotExist),
        )
        if made is not None:
            offer.kid = store.keys["benchmark"]

    @precondition(lambda self: self.store.paid_sales())
    @rule(number=PLACES, place=PLACES)
    def issue_links(self, number: int, place: int) -> None:
        """Each person asks for one."""
        store = self.store
        sale, offer = pick(store.paid_sales(), number), pick(store.offers, place)
        entitlement = Entitlement.objects.get(purchase=sale.row)
        version = PackageVersion.objects.get(pk=offer.row.pk)
        for who, member in store.people.items():
            ask = partial(issue_link, entitlement=entitlement, version=version, member=member)
            token = attempt(ask, may=store.opens(sale, offer, who), refused=LinkRefused)
            if token is not None:
                self.misuse(token)
                store.links[sale, offer, who] = token

    def misuse(self, token: str) -> None:
        """Changed, or after its time, a link opens nothing."""
        later = time.time() + 3600
        with pytest.raises(LinkRefused, match="not a link of ours"):
            redeem(token=f"A{token}")
        with (
            patch("django.core.signing.time.time", return_value=later),
            pytest.raises(LinkRefused, match="expired"),
        ):
            redeem(token=token)

    @rule()
    def work(self) -> None:
        """Do what is due; then every buyer has the receipt of every version that is open."""
        # To hand money back, a provider is needed.
        Outbox.objects.filter(kind="refund").delete()
        run_due()
        if Outbox.objects.filter(done_at=None).exists():
            assert "buyer" not in self.store.keys or Outbox.objects.filter(attempts__gt=0).exists()
            return
        held = promises.receipts_that_hold()
        for sale, offer in self.store.pairs():
            if self.store.is_open(sale, offer):
                assert (str(sale.row.pk), offer.row.pk) in held

    def attack(self) -> None:
        """As the application's role, what is evidence or final refuses to be changed."""
        for statement in CHANGES if self.store.sales else CHANGES[:-2]:
            with pytest.raises(DatabaseError), transaction.atomic():
                promises.change(statement)
