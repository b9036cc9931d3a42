"""Provider events, stored and applied in one transaction.

A repeat finds its row and does nothing; a failure leaves no row, so the provider's next try
starts afresh. What must be asked of the provider is asked before the transaction begins.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone

from entitlements.entering import PaymentMismatch
from entitlements.held_money import hold_payment
from entitlements.models import ProviderEvent
from entitlements.news import Apply, News, OfNoConcern, Reader, TooEarly
from entitlements.refunds import RefundRefused
from entitlements.stripe import events as stripe_events
from entitlements.stripe.client import PROVIDER as STRIPE

logger = logging.getLogger(__name__)
Outcome = ProviderEvent.Outcome
READERS: dict[str, Mapping[str, Reader]] = {STRIPE: stripe_events.READERS}
ANSWERS = (OfNoConcern, TooEarly, PaymentMismatch, RefundRefused)
PAGE = 100


def receive_event(
    *, provider: str, event_id: str, kind: str, subject: dict[str, Any], payload: dict[str, Any]
) -> Outcome:
    """Store a verified event and apply it; returns how it ended, now or the first time."""
    if (known := _known(provider, event_id)) is not None:
        return known
    event = ProviderEvent(
        provider=provider, event_id=event_id, kind=kind, payload=payload, outcome=Outcome.IGNORED
    )
    apply = _read(event, subject)
    try:
        with transaction.atomic():
            # Race: the same event twice at once. The second waits on the unique key until the
            # first commits, and then is the repeat below.
            event.save(force_insert=True)
            return _settle(event, apply)
    except IntegrityError:
        known = _known(provider, event_id)
        if known is None:
            raise
        return known


def replay(event: ProviderEvent) -> Outcome:
    """Apply a stored event again, however it ended. What it brought before comes no second time."""
    apply = _read(event, event.payload["data"]["object"])
    with transaction.atomic():
        return _settle(ProviderEvent.objects.select_for_update().get(pk=event.pk), apply)


def retry_waiting() -> int:
    """Apply again the events that came too early, the oldest first; returns how many were ripe."""
    ripe, last = 0, 0
    waiting = ProviderEvent.objects.filter(outcome=Outcome.WAITING).order_by("pk")
    while page := list(waiting.filter(pk__gt=last)[:PAGE]):
        ripe += sum(_retry(event) for event in page)
        last = page[-1].pk
    return ripe


def _retry(event: ProviderEvent) -> bool:
    try:
        apply = _read(event, event.payload["data"]["object"])
        with transaction.atomic():
            # Race: workers side by side. The second passes over what the first holds.
            locked = ProviderEvent.objects.select_for_update(skip_locked=True)
            same = locked.filter(pk=event.pk, outcome=Outcome.WAITING).first()
            return same is not None and _settle(same, apply) == Outcome.APPLIED
    except OperationalError:
        raise  # the database is gone, for every other event too
    except Exception:
        # One that fails stays as it was and must not stop those behind it, nor the worker.
        logger.exception("waiting event %s failed", event.pk)
        return False


def _known(provider: str, event_id: str) -> Outcome | None:
    known = ProviderEvent.objects.filter(provider=provider, event_id=event_id).first()
    return Outcome(known.outcome) if known else None


def _read(event: ProviderEvent, subject: Mapping[str, Any]) -> Apply:
    """Ask whatever must be asked; an answer that is no yes is given inside the transaction."""
    reader = READERS.get(event.provider, {}).get(event.kind, _of_no_concern)
    news = News(
        kind=event.kind,
        subject=subject,
        said_at=_said_at(event.payload),
        recorded_by=f"event {event.event_id}"[:200],
    )
    try:
        return reader(news)
    except ANSWERS as given:
        answer = given

    def raise_it() -> None:
        raise answer

    return raise_it


def _of_no_concern(news: News) -> Apply:
    raise OfNoConcern("")


def _said_at(payload: Mapping[str, Any]) -> datetime:
    created = payload.get("created")
    if type(created) is not int or not 0 <= created < 2**35:
        return timezone.now()
    return datetime.fromtimestamp(created, UTC)


def _settle(event: ProviderEvent, apply: Apply) -> Outcome:
    outcome, event.note = _outcome(event, apply)
    event.outcome = outcome
    event.save(update_fields=["outcome", "note"])
    return outcome


def _outcome(event: ProviderEvent, apply: Apply) -> tuple[Outcome, str]:
    try:
        with transaction.atomic():
            apply()
    except OfNoConcern as why:
        return Outcome.IGNORED, str(why)
    except TooEarly as why:
        return Outcome.WAITING, str(why)
    except (PaymentMismatch, RefundRefused) as mismatch:
        logger.exception("event %s is held", event.event_id)
        if isinstance(mismatch, PaymentMismatch):
            hold_payment(mismatch)
        return Outcome.HELD, str(mismatch)
    return Outcome.APPLIED, ""
