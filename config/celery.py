"""The Celery application. It only nudges: work itself lies in the outbox table."""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("touchstone")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Seconds. A nudge that no worker took in time is dropped: the next one finds the same rows.
app.conf.beat_schedule = {
    "outbox": {
        "task": "entitlements.tasks.run_outbox",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "waiting events": {
        "task": "entitlements.tasks.retry_events",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "forgetting": {
        "task": "entitlements.tasks.forget",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
    "sweep": {
        "task": "entitlements.tasks.sweep",
        "schedule": 60.0 * settings.SWEEP_MINUTES,
        "options": {"expires": 60.0 * settings.SWEEP_MINUTES},
    },
}


def nudge_outbox() -> None:
    """Tell a worker that the outbox has work. Raises kombu's OperationalError without a broker."""
    app.send_task("entitlements.tasks.run_outbox", expires=10, retry=False)
