"""Work that follows a commit: taken once, tried again later, given to people in the end."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from entitlements import outbox
from entitlements.models import Outbox
from entitlements.outbox import enqueue, handles, run_due
from tests.threads import at_once


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the handlers of this module were given; they are gone after the test."""
    seen: list[Any] = []
    monkeypatch.setattr(outbox, "_handlers", dict(outbox._handlers))
    handles("note")(lambda payload: seen.append(payload["n"]))
    handles("fail")(fail)
    return seen


def fail(payload: dict[str, Any]) -> None:
    Outbox.objects.create(kind="half", payload={}, done_at=timezone.now())
    raise ConnectionError("the mail server is down")


def make_due() -> None:
    Outbox.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def test_due_work_is_done_in_order_and_once(db: None, calls: list[Any]) -> None:
    for n in range(3):
        enqueue("note", {"n": n})
    assert (run_due(), run_due()) == (3, 0)
    assert calls == [0, 1, 2]
    assert not Outbox.objects.filter(done_at__isnull=True).exists()


def test_a_look_takes_no_more_than_its_limit(db: None, calls: list[Any]) -> None:
    for n in range(3):
        enqueue("note", {"n": n})
    assert run_due(limit=2) == 2
    assert calls == [0, 1]


def test_work_of_a_transaction_that_failed_is_not_there(db: None, calls: list[Any]) -> None:
    with transaction.atomic():
        enqueue("note", {"n": 1})
        transaction.set_rollback(True)
    assert (run_due(), calls) == (0, [])


def test_a_failure_waits_twice_as_long_each_time(db: None, calls: list[Any]) -> None:
    enqueue("fail", {})
    pauses = []
    for _ in range(4):
        make_due()
        before = timezone.now()
        assert run_due() == 1
        pauses.append((Outbox.objects.get().due_at - before).total_seconds())
    assert pauses == pytest.approx([10, 20, 40, 80], abs=4)
    row = Outbox.objects.get()
    assert (row.attempts, row.done_at) == (4, None)
    assert row.last_error == "ConnectionError: the mail server is down"


def test_what_a_failed_handler_wrote_is_gone(db: None, calls: list[Any]) -> None:
    enqueue("fail", {})
    run_due()
    assert not Outbox.objects.filter(kind="half").exists()


def test_after_ten_failures_it_stays_for_people(
    db: None, calls: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    enqueue("fail", {})
    for _ in range(12):
        make_due()
        run_due()
    row = Outbox.objects.get()
    assert (row.attempts, row.done_at) == (10, None)
    assert f"outbox {row.pk} (fail) failed, attempt 10" in caplog.text
    assert "attempt 11" not in caplog.text


def test_work_that_fails_does_not_stop_what_is_behind_it(db: None, calls: list[Any]) -> None:
    enqueue("fail", {})
    enqueue("note", {"n": 1})
    assert run_due() == 2
    assert calls == [1]


def test_work_that_succeeds_at_last_carries_no_error(db: None, calls: list[Any]) -> None:
    enqueue("fail", {})
    run_due()
    handles("fail")(calls.append)
    make_due()
    run_due()
    row = Outbox.objects.get()
    assert row.done_at is not None
    assert (row.attempts, row.last_error) == (2, "")


def test_a_kind_that_nobody_handles_is_kept_and_named(db: None, calls: list[Any]) -> None:
    enqueue("of_tomorrow", {})
    enqueue("note", {"n": 1})
    run_due()
    row = Outbox.objects.get(kind="of_tomorrow")
    assert (row.attempts, row.done_at) == (1, None)
    assert "of_tomorrow" in row.last_error
    assert calls == [1]


@pytest.mark.django_db(transaction=True)
def test_workers_side_by_side_never_do_a_row_twice(calls: list[Any]) -> None:
    for n in range(40):
        enqueue("note", {"n": n})
    taken: list[int] = []
    assert at_once(*[lambda: taken.append(run_due())] * 4) == []
    assert sum(taken) == 40
    assert sorted(calls) == list(range(40))


@pytest.mark.django_db(transaction=True)
def test_a_slow_row_holds_up_nobody(calls: list[Any]) -> None:
    started, finish = threading.Event(), threading.Event()
    in_time: list[bool] = []

    @handles("slow")
    def slow(payload: dict[str, Any]) -> None:
        started.set()
        in_time.append(finish.wait(timeout=8))

    enqueue("slow", {})
    enqueue("note", {"n": 1})
    others: list[int] = []

    def beside() -> None:
        assert started.wait(timeout=20)
        try:
            others.append(run_due())
        finally:
            finish.set()

    assert at_once(lambda: run_due(limit=1), beside) == []
    assert (others, calls, in_time) == ([1], [1], [True])
    assert Outbox.objects.filter(done_at__isnull=True).count() == 0
