from __future__ import annotations

from typing import Any

import pytest

from entitlements.completion import complete_purchase
from entitlements.models import Entitlement, Outbox, Purchase
from tests.shop import payment_for

nudges: list[str] = []


def nudge() -> None:
    nudges.append("nudged")


def broken_nudge() -> None:
    raise ConnectionRefusedError("the broker is down")


def pay(purchase: Purchase, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        complete_purchase(purchase=purchase, payment=payment_for(purchase))


def test_a_commit_nudges_the_worker(
    pending: Purchase, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.OUTBOX_NUDGE = f"{__name__}.nudge"
    nudges.clear()
    pay(pending, django_capture_on_commit_callbacks)
    assert nudges == ["nudged"]


def test_a_broker_that_is_down_costs_no_payment(
    pending: Purchase,
    settings: Any,
    django_capture_on_commit_callbacks: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.OUTBOX_NUDGE = f"{__name__}.broken_nudge"
    pay(pending, django_capture_on_commit_callbacks)
    assert Entitlement.objects.filter(purchase=pending).exists()
    assert Outbox.objects.get().done_at is None
    assert "the broker is down" in caplog.text


def test_without_redis_the_nudge_is_quiet_about_itself(settings: Any) -> None:
    assert settings.OUTBOX_NUDGE == ""
