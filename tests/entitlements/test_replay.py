"""Events that came too early, were held, or are wanted once more: tried again, never twice."""

from __future__ import annotations

import io
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from entitlements import inbox
from entitlements.inbox import replay, retry_waiting
from entitlements.models import HeldPayment, MaintenancePeriod, Payment, ProviderEvent, Purchase
from tests.provider import paid_event, send

pytestmark = pytest.mark.usefixtures("webhook_secret")


def stored(event: dict[str, Any], outcome: str = "waiting") -> ProviderEvent:
    return ProviderEvent.objects.create(
        provider="stripe",
        event_id=event["id"],
        kind=event["type"],
        payload=event,
        outcome=outcome,
    )


def command(event_id: str) -> str:
    out = io.StringIO()
    call_command("replay_event", event_id, stdout=out)
    return out.getvalue()


def test_all_that_wait_are_tried_however_many_are_before_them(
    pending: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "PAGE", 2)
    for number in range(5):
        unknown = paid_event(pending, client_reference_id=str(uuid4()))
        stored(unknown | {"id": f"evt_unknown_{number}"})
    stored(paid_event(pending))
    assert retry_waiting() == 1
    assert ProviderEvent.objects.filter(outcome="waiting").count() == 5
    assert Payment.objects.get().purchase == pending


def test_replayed_an_applied_event_brings_nothing_twice(pending: Purchase) -> None:
    send(paid_event(pending))
    assert command("evt_1") == "evt_1: applied\n"
    assert replay(ProviderEvent.objects.get()) == "applied"
    assert Payment.objects.count() == MaintenancePeriod.objects.count() == 1


def test_an_event_that_was_ignored_before_its_time_is_applied_by_a_replay(
    pending: Purchase,
) -> None:
    stored(paid_event(pending), outcome="ignored")
    assert command("evt_1") == "evt_1: applied\n"
    assert Payment.objects.get().recorded_by == "event evt_1"


def test_a_replay_says_why_an_event_is_held_and_holds_its_money_once(pending: Purchase) -> None:
    send(paid_event(pending, amount_total=249_999))
    with pytest.raises(CommandError, match="the payment brings 249999 USD"):
        command("evt_1")
    held = HeldPayment.objects.get()
    assert (held.purchase, held.reference, held.amount_minor) == (pending, "in_1", 249_999)
    assert "asks for 250000 USD" in held.reason
    assert not Payment.objects.exists()


@pytest.mark.django_db
def test_a_replay_of_what_is_not_stored_says_where_to_look() -> None:
    with pytest.raises(CommandError, match="/staff/entitlements/providerevent/"):
        command("evt_unknown")
