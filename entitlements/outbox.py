"""Work that follows a commit: written with it, done by a worker, never lost by a queue."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from entitlements.models import Outbox

logger = logging.getLogger(__name__)
Handler = Callable[[dict[str, Any]], None]
_handlers: dict[str, Handler] = {}


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Register the function that does work of a kind. It may run twice: make that harmless."""

    def register(handler: Handler) -> Handler:
        _handlers[kind] = handler
        return handler

    return register


def enqueue(kind: str, payload: dict[str, Any]) -> None:
    """Write a row of work into the running transaction, and nudge the worker after it."""
    Outbox.objects.create(kind=kind, payload=payload)
    # Robust: a broker that is down must not turn a committed payment into an error page.
    transaction.on_commit(_nudge, robust=True)


def enqueue_once(kind: str, payload: dict[str, Any]) -> None:
    """The same, unless the same work was ever written. The caller holds the row it is about."""
    if not Outbox.objects.filter(kind=kind, payload=payload).exists():
        enqueue(kind, payload)


def run_due(*, limit: int = 100) -> int:
    """Do up to `limit` rows of due work and return how many were taken.

    A row that fails waits twice as long each time; after ten failures it stays for people.
    """
    taken = 0
    while taken < limit and _run_one():
        taken += 1
    return taken


def _run_one() -> bool:
    with transaction.atomic():
        # SKIP LOCKED: workers side by side take different rows and none waits.
        row = (
            Outbox.objects.select_for_update(skip_locked=True)
            .filter(
                done_at__isnull=True,
                due_at__lte=timezone.now(),
                attempts__lt=Outbox.MAX_ATTEMPTS,
            )
            .order_by("due_at", "id")
            .first()
        )
        if row is None:
            return False
        _attempt(row)
        row.save(update_fields=["attempts", "done_at", "due_at", "last_error"])
    return True


def _attempt(row: Outbox) -> None:
    row.attempts += 1
    try:
        with transaction.atomic():
            _handlers[row.kind](row.payload)
    except Exception as error:
        logger.exception("outbox %s (%s) failed, attempt %s", row.pk, row.kind, row.attempts)
        row.last_error = f"{type(error).__name__}: {error}"
        row.due_at = timezone.now() + timedelta(seconds=5 * 2**row.attempts)
    else:
        row.done_at, row.last_error = timezone.now(), ""


def _nudge() -> None:
    # By name: the broker is the project's affair, and a checkout without one has no nudge.
    if settings.OUTBOX_NUDGE:
        import_string(settings.OUTBOX_NUDGE)()
