"""Stripe's events of several purchases: late, twice, lost, in any order. Hypothesis looks for the
order in which the store's rows say something that is not so.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.db.models import Count
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from entitlements.inbox import retry_waiting
from entitlements.models import Outbox, Payment, ProviderEvent, Purchase, Refund
from entitlements.outbox import run_due
from entitlements.purchasing import open_purchase
from entitlements.refunds import RefundRefused, request_refund
from licensing.models import LicenceTerms, LicensedEntity, Member, User
from tests.entitlements.account_model import Account, refundable, two_tabs
from tests.faults.invariants import (
    assert_promises,
    assert_what_is_kept_is_the_providers,
)
from tests.faults.stages import Stage
from tests.provider import Provider
from tests.shop import sign

pytestmark = pytest.mark.django_db(transaction=True)
THOROUGH = os.environ.get("FAULTS") == "all"
EFFORT = settings(
    max_examples=60 if THOROUGH else 6,
    stateful_step_count=30,
    deadline=None,
    derandomize=not THOROUGH,
    database=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)
PICK = st.integers(0, 50)
HOW = st.sampled_from(["succeed", "pending", "pending_then_fail", "fail", "succeed_then_fail"])


class Machine(RuleBasedStateMachine):
    """One account and two purchases, each with two sessions that can be paid."""

    provider: Provider
    stage: Stage
    tabs: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.stage.restore()
        self.account = Account(self.provider, self.tabs)

    @rule(pick=PICK)
    def pay(self, pick: int) -> None:
        self.account.pay(pick)

    @rule()
    def renew(self) -> None:
        self.account.renew()

    @rule(pick=PICK, whole=st.booleans(), mode=HOW)
    def refund_at_stripe(self, pick: int, whole: bool, mode: str) -> None:
        self.account.refund(pick, whole=whole, mode=mode)

    @rule(pick=PICK, status=st.sampled_from(["succeeded", "failed"]))
    def decide_refund(self, pick: int, status: str) -> None:
        self.account.decide_refund(pick, status)

    @rule(pick=PICK, amount=st.sampled_from([None, 1_000]))
    def refund_ourselves(self, pick: int, amount: int | None) -> None:
        if charge := refundable(pick):
            try:
                request_refund(charge=charge, amount_minor=amount, why="", requested_by="desk")
            except RefundRefused:
                return

    @rule(pick=PICK)
    def dispute(self, pick: int) -> None:
        self.account.dispute(pick)

    @rule(pick=PICK, status=st.sampled_from(["won", "lost"]))
    def decide_dispute(self, pick: int, status: str) -> None:
        self.account.decide_dispute(pick, status)

    @rule(pick=PICK, at_once=st.booleans())
    def end_subscription(self, pick: int, at_once: bool) -> None:
        self.account.end_subscription(pick, at_once=at_once)

    @rule(pick=PICK)
    def tell_any(self, pick: int) -> None:
        self.account.tell(pick)

    @rule(first=PICK, second=PICK)
    def tell_news(self, first: int, second: int) -> None:
        self.account.tell_news(first)
        self.account.tell_news(second)

    @rule()
    def work(self) -> None:
        retry_waiting()
        run_due()

    @invariant()
    def promises_hold(self) -> None:
        assert_promises()
        twice = Payment.objects.values("provider", "reference").annotate(n=Count("pk"))
        assert not twice.filter(n__gt=1).exists()

    def teardown(self) -> None:
        """At last everything is told, and the worker has done its work."""
        for _ in range(5):
            Outbox.objects.filter(done_at=None).update(due_at=timezone.now())
            told = self.account.tell_all()
            if not (told + retry_waiting() + run_due()):
                break
        assert_promises()
        assert_what_is_kept_is_the_providers(self.provider)
        assert_only_people_are_left(self.provider)


def assert_only_people_are_left(provider: Provider) -> None:
    """No work is left but refunds that the provider refuses: of charges that a bank took back."""
    disputed = Refund.objects.filter(charge__disputes__isnull=False, state="wanted")
    left = {row.payload.get("refund") for row in Outbox.objects.filter(done_at=None)}
    assert left <= {str(each.pk) for each in disputed}
    assert not ProviderEvent.objects.filter(outcome__in=["waiting", "held"]).exists()


@pytest.fixture
def other(pending: Purchase, owner: User, terms: LicenceTerms) -> Purchase:
    """A second purchase of the same package, by another entity of the same buyer."""
    entity = LicensedEntity.objects.create(legal_name="Meridian AG", country="DE", address="Ring 2")
    Member.objects.create(entity=entity, user=owner, role=Member.Role.OWNER)
    signature = sign(account=owner, version=pending.version, entity=entity, terms=terms)
    return open_purchase(signature=signature, buyer=owner)


def test_in_any_order_the_rows_say_what_is_so(
    provider: Provider, pending: Purchase, other: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    tabs: list[str] = [*two_tabs(pending), *two_tabs(other)]
    reached: dict[str, Any] = {"provider": provider, "tabs": tabs}
    reached["stage"] = Stage(provider.server.settings.data)
    machine = type("OfThisShop", (Machine,), reached)
    run_state_machine_as_test(machine, settings=EFFORT)
