"""The sweep: what providers say and what our rows say, compared both ways and repaired."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from entitlements.difference import Difference
from entitlements.stripe.sweep.disputes import compare_disputes
from entitlements.stripe.sweep.invoices import compare_invoices
from entitlements.stripe.sweep.reading import Window
from entitlements.stripe.sweep.refunds import compare_refunds
from entitlements.stripe.sweep.sessions import compare_sessions
from entitlements.stripe.sweep.subscriptions import compare_subscriptions

logger = logging.getLogger(__name__)
# Money first: what reverses or renews it is entered after it.
COMPARE = (
    compare_invoices,
    compare_refunds,
    compare_disputes,
    compare_subscriptions,
    compare_sessions,
)
DAYS = 30
Report = Callable[[str], object]


def find_differences(
    *, since: datetime, looked_at: Callable[[str], None] = lambda _: None
) -> Iterator[Difference]:
    """Every difference since a time. Raises StripeNotConfigured, StripeError."""
    window = Window(since=since, looked_at=looked_at)
    for compare in COMPARE:
        yield from compare(window)


def reconcile(
    *,
    since: datetime,
    repair: bool,
    report: Report,
    looked_at: Callable[[str], None] = lambda _: None,
) -> list[Difference]:
    """Tell every difference, repair what can be if asked to, and return what remains.

    What was repaired is found by comparing again. Raises StripeNotConfigured, StripeError.
    """
    found = []
    for difference in find_differences(since=since, looked_at=looked_at):
        found.append(difference)
        report(f"differs: {difference}")
        if repair and difference.repair is not None:
            _repair(difference, report)
    if not (repair and found):
        return found
    remaining = list(find_differences(since=since, looked_at=looked_at))
    for difference in remaining:
        report(f"remains: {difference}")
    return remaining


def sweep() -> int:
    """Compare and repair as workers do, to the log; returns how many differences remain.

    A store without Stripe has nothing to compare, and a silent provider is asked the next time.
    """
    from stripe import StripeError  # see stripe/client.py

    if not settings.STRIPE_SECRET_KEY:
        return 0
    try:
        remaining = reconcile(
            since=timezone.now() - timedelta(days=DAYS), repair=True, report=logger.warning
        )
    except StripeError as error:
        logger.warning("sweep: %s", error)
        return 0
    return len(remaining)


def _repair(difference: Difference, report: Report) -> None:
    if difference.repair is None:
        return
    try:
        difference.repair()
    except Exception as error:
        # One that fails must not stop those behind it; it is told, and found again.
        logger.exception("not repaired: %s", difference)
        report(f"not repaired: {difference.subject}: {type(error).__name__}: {error}")
    else:
        report(f"repaired: {difference.subject}")
