"""Provider events, stored and applied in one transaction.

A repeat finds its row and does nothing; a failure leaves no row, so the provider's next try
starts afresh.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import IntegrityError, OperationalError, transaction

from entitlements.entering import PaymentMismatch
from entitlements.models import ProviderEvent
from entitlements.stripe.settling import ForeignSession, UnknownPurchase, settle_session

logger = logging.getLogger(__name__)
Outcome = ProviderEvent.Outcome
PAID_SESSIONS = {"checkout.session.completed", "checkout.session.async_payment_succeeded"}


def receive_event(
    *, provider: str, event_id: str, kind: str, subject: dict[str, Any], payload: dict[str, Any]
) -> Outcome:
    """Store a verified event and apply it; returns how it ended, now or the first time."""
    try:
        with transaction.atomic():
            # Race: the same event twice at once. The second waits on the unique key until the
            # first commits, and then is the repeat below.
            event = ProviderEvent.objects.create(
                provider=provider,
                event_id=event_id,
                kind=kind,
                payload=payload,
                outcome=Outcome.IGNORED,
            )
            return _apply(event, subject)
    except IntegrityError:
        known = ProviderEvent.objects.filter(provider=provider, event_id=event_id).first()
        if known is None:
            raise
        return Outcome(known.outcome)


def retry_waiting() -> int:
    """Apply again the events that came before their purchase; returns how many found it."""
    waiting = ProviderEvent.objects.filter(outcome=Outcome.WAITING).order_by("id")
    return sum(_retry(pk) for pk in waiting.values_list("pk", flat=True)[:100])


def _retry(pk: int) -> bool:
    try:
        return _apply_waiting(pk)
    except OperationalError:
        raise  # the database is gone, for every other event too
    except Exception:
        # One that fails stays as it was and must not stop those behind it, nor the worker.
        logger.exception("waiting event %s failed", pk)
        return False


def _apply_waiting(pk: int) -> bool:
    with transaction.atomic():
        event = (
            ProviderEvent.objects.select_for_update(skip_locked=True)
            .filter(pk=pk, outcome=Outcome.WAITING)
            .first()
        )
        if event is None:
            return False
        return _apply(event, event.payload["data"]["object"]) == Outcome.APPLIED


def _apply(event: ProviderEvent, subject: dict[str, Any]) -> Outcome:
    outcome, note = _outcome(event, subject)
    event.outcome, event.note = outcome, note
    event.save(update_fields=["outcome", "note"])
    return outcome


def _outcome(event: ProviderEvent, subject: dict[str, Any]) -> tuple[Outcome, str]:
    if event.kind not in PAID_SESSIONS:
        return Outcome.IGNORED, ""
    try:
        with transaction.atomic():
            settled = settle_session(subject, recorded_by=f"event {event.event_id}")
    except ForeignSession:
        return Outcome.IGNORED, "of no purchase here"
    except UnknownPurchase as unknown:
        return Outcome.WAITING, str(unknown)
    except PaymentMismatch as mismatch:
        logger.exception("event %s is held", event.event_id)
        return Outcome.HELD, str(mismatch)
    return (Outcome.APPLIED, "") if settled else (Outcome.IGNORED, "not paid yet")
