"""Each operation on money, broken at each of its points, comes to rest as if nothing had been.

FAULTS=all takes every point; else every one of a few, the ends always. A point is struck twice:
the process is killed there, and the database connection is cut there.
"""

from __future__ import annotations

import os
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
from tests.faults.cases import CASES, Shop
from tests.faults.invariants import (
    assert_ledger_is_the_providers,
    assert_nobody_waits,
    assert_promises,
    outcome,
)
from tests.faults.stages import Stage
from tests.faults.strikes import count, cut, killed

pytestmark = pytest.mark.django_db(transaction=True)
EVERY = 1 if os.environ.get("FAULTS") == "all" else 9


def chosen(points: int) -> list[int]:
    """The points to strike: the ends, and every few between them."""
    return sorted({*range(0, points, EVERY), points - 1})


def settle(shop: Shop, taken: set[str]) -> None:
    """The store is up again: Stripe tells all that was not heard, the worker works."""
    courier = Courier(shop.provider)
    for _ in range(3):
        courier.taken = taken | set(ProviderEvent.objects.values_list("event_id", flat=True))
        courier.deliver(*READERS)
        retry_waiting()
        Outbox.objects.filter(done_at=None).update(due_at=timezone.now() - timedelta(seconds=1))
        if run_due() == 0:
            return


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
    case: Callable[[Shop], Callable[[], Any]],
    strike: str,
    record_property: Callable[[str, object], None],
) -> None:
    operation = case(shop)
    taken = set(shop.courier.taken)
    stage = Stage(shop.provider.server.settings.data)
    try:
        stage.restore()
        points = count(operation)
        settle(shop, taken)
        wanted = outcome()
        assert_right(shop, wanted)
        for at in chosen(len(points)):
            stage.restore()
            try:
                if strike == "killed":
                    assert killed(operation, at=at)
                else:
                    assert_is_clear(cut(operation, at=at))
                assert_promises()
                settle(shop, taken)
                assert_right(shop, wanted)
            except AssertionError as error:
                error.add_note(f"{strike} at point {at}: {points[at]}")
                raise
    finally:
        stage.close()
    record_property("fault_points", len(points) if strike == "killed" else 0)
    record_property("fault_runs", len(chosen(len(points))))


def assert_is_clear(answer: Any) -> None:
    """A cut connection is an error of the database, or a page that says so; never a false yes."""
    if isinstance(answer, Error | int):
        return
    assert answer.status_code in (200, 302, 500, 503)
    if answer.status_code == 200 and answer.headers["Content-Type"] == "application/json":
        # Stripe will not say it again: it is here.
        assert ProviderEvent.objects.exclude(outcome="waiting").exists()
