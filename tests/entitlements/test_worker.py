"""`manage.py work` and Celery's tasks: the two ways in which the outbox's work is done."""

from __future__ import annotations

import io

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection, connections

from entitlements.management.commands.work import Every
from entitlements.models import Entitlement, Outbox, ProviderEvent, Purchase
from entitlements.tasks import retry_events, run_outbox
from tests.provider import paid_event


def work() -> tuple[str, str]:
    """What `manage.py work --once` writes, to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    call_command("work", once=True, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def waiting(pending: Purchase) -> ProviderEvent:
    """A paid event that came before its purchase, which is there now."""
    return ProviderEvent.objects.create(
        provider="stripe",
        event_id="evt_1",
        kind="checkout.session.completed",
        payload=paid_event(pending),
        outcome="waiting",
    )


def test_once_does_what_is_due_and_stops(bought: Purchase) -> None:
    assert work() == ("worker: 1 done\n", "")
    assert Outbox.objects.get().done_at is not None
    assert len(mail.outbox) == 1


def test_without_work_it_says_nothing(db: None) -> None:
    assert work() == ("", "")


def test_once_applies_waiting_events_too(waiting: ProviderEvent) -> None:
    assert work() == ("worker: 1 done\n", "")
    assert Entitlement.objects.count() == 1
    assert work() == ("worker: 1 done\n", "")
    assert len(mail.outbox) == 1


def test_celerys_tasks_do_the_same(waiting: ProviderEvent) -> None:
    retry_events()
    assert Entitlement.objects.count() == 1
    run_outbox()
    assert len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_the_worker_outlives_a_lost_connection(bought: Purchase) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    other = connections.create_connection("default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
    other.close()
    out, err = work()
    assert (out, "worker: the database does not answer" in err) == ("", True)
    assert work() == ("worker: 1 done\n", "")
    assert len(mail.outbox) == 1


def test_what_is_due_now_and_then_is_due_once_in_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("entitlements.management.commands.work.time.monotonic", lambda: clock[0])
    every = Every(10)
    assert [every.is_due(), every.is_due()] == [True, False]
    clock[0] += 10
    assert [every.is_due(), every.is_due()] == [True, False]
