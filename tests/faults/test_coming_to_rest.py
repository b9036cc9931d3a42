"""Each operation on money, broken at each of its points, comes to rest as if nothing had been.

A point is struck in two ways: the process is killed there, or the database connection is cut.
FAULTS=all takes every point; else some, and those always at which others know already.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import Error
from django.utils import timezone

from entitlements.inbox import retry_waiting
from entitlements.models import Outbox, ProviderEvent
from entitlements.outbox import run_due
from entitlements.stripe.events import READERS
from tests.courier import Courier
from tests.faults.cases import CASES, Case, Shop
from tests.faults.invariants import (
    assert_ledger_is_the_providers,
    assert_nobody_waits,
    assert_promises,
    outcome,
)
from tests.faults.reporting import POINTS, RUNS
from tests.faults.stages import Stage
from tests.faults.strikes import count, cut, killed

pytestmark = pytest.mark.django_db(transaction=True)
EVERY = 1 if os.environ.get("FAULTS") == "all" else 30


def chosen(points: list[str], strike: str) -> list[int]:
    """The points to strike: after each commit and each call of the provider, and some between."""
    first = 0 if strike == "killed" else EVERY // 2
    told = [at for at, name in enumerate(points) if re.match("after (COMMIT|.* http:)", name)]
    return sorted({*told, *range(first, len(points), EVERY)})


def settle(shop: Shop, taken: set[str], strike: str) -> None:
    """The store is up again: the worker works, and Stripe tells all that was not heard.

    Either may be first.
    """
    courier = Courier(shop.provider)
    if strike == "killed":
        work()
    for _ in range(3):
        courier.taken = taken | set(ProviderEvent.objects.values_list("event_id", flat=True))
        courier.deliver(*READERS)
        if work() == 0:
            return


def work() -> int:
    """What the worker does, as if it had waited long enough after each failure."""
    Outbox.objects.filter(done_at=None).update(due_at=timezone.now() - timedelta(seconds=1))
    return retry_waiting() + run_due()


def assert_right(shop: Shop, wanted: dict[str, Any]) -> None:
    """Everything holds, and what came of it is what comes of it undisturbed."""
    assert_promises()
    assert_nobody_waits()
    assert outcome() == wanted
    assert_ledger_is_the_providers(shop.provider)


@pytest.mark.parametrize("strike", ["killed", "cut"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_broken_anywhere_it_comes_to_rest_as_if_nothing_had_been(
    shop: Shop,
    case: Case,
    strike: str,
    record_property: Callable[[str, object], None],
) -> None:
    operation = case(shop)
    taken = set(shop.courier.taken)
    stage = Stage(shop.provider.server.settings.data)
    points = count(operation)
    assert len(points) >= CASES[case]
    settle(shop, taken, strike)
    wanted = outcome()
    assert_right(shop, wanted)
    for at in chosen(points, strike):
        stage.restore()
        try:
            if strike == "killed":
                assert killed(operation, at=at)
            else:
                assert_is_clear(cut(operation, at=at))
            assert_promises()
            settle(shop, taken, strike)
            assert_right(shop, wanted)
        except AssertionError as error:
            error.add_note(f"{strike} at point {at}: {points[at]}")
            raise
    # Each point counts once, though it is struck in two ways.
    record_property(POINTS, len(points) if strike == "killed" else 0)
    record_property(RUNS, len(chosen(points, strike)))


def assert_is_clear(answer: Any) -> None:
    """A cut connection is an error of the database, or a page that says so; never a false yes."""
    if isinstance(answer, Error | int):
        return
    assert answer.status_code in (200, 302, 500, 503)
    if answer.status_code == 200 and answer.headers["Content-Type"] == "application/json":
        # Stripe will not say it again: it is here.
        assert ProviderEvent.objects.exclude(outcome="waiting").exists()
