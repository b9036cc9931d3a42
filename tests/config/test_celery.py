from __future__ import annotations

import pytest

from config.celery import app

SCHEDULE = app.conf.beat_schedule


@pytest.mark.parametrize("name", sorted(SCHEDULE))
def test_what_the_clock_sends_is_a_task_that_a_worker_knows(name: str) -> None:
    app.loader.import_default_modules()
    assert SCHEDULE[name]["task"] in app.tasks


def test_the_clock_sends_each_task_that_there_is() -> None:
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if not name.startswith("celery.")}
    assert {entry["task"] for entry in SCHEDULE.values()} == ours
