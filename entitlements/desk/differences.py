"""What does not agree: money, events and work that somebody must look at, each with its way out.

What a provider says otherwise than the ledger is asked for by a press: it takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from django.utils import timezone

from entitlements.desk.cells import Cell, amount, code, words
from entitlements.desk.log import DeskRefused
from entitlements.desk.money_lists import HELD
from entitlements.desk.work_lists import DEAD, EVENTS
from entitlements.reconciling import DAYS, find_differences
from entitlements.stripe.client import StripeNotConfigured

MOST = 100  # of each kind, the newest


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One thing that does not agree, what it says, and the list that leads out of it."""

    what: str
    reference: Cell
    says: str
    way_out: str
    href: str


def differences() -> Iterator[Difference]:
    """Everything that does not agree now, the newest of each kind first."""
    for held in islice(HELD.rows().filter(resolution=""), MOST):
        yield Difference(
            what=f"{amount(held.amount_minor, held.currency).text} held",
            reference=code(held.reference),
            says=held.reason,
            way_out="Apply it or send it back",
            href=f"{HELD.href}?q={held.reference}",
        )
    stuck = EVENTS.rows().filter(outcome__in=["waiting", "held"])
    for event in islice(stuck, MOST):
        yield Difference(
            what=f"{event.kind}: {event.get_outcome_display()}",
            reference=code(event.event_id),
            says=event.note,
            way_out="Replay it when what it waits for is there",
            href=f"{EVENTS.href}?q={event.event_id}",
        )
    for letter in islice(DEAD.rows(), MOST):
        yield Difference(
            what=f"{letter.kind} failed {letter.attempts} times",
            reference=words(letter.pk),
            says=letter.last_error,
            way_out="Mend the cause, then try it again",
            href=DEAD.href,
        )


def at_the_provider() -> Iterator[Difference]:
    """What Stripe says otherwise than our rows, of the last days; nothing is repaired.

    Raises DeskRefused where Stripe is not there or does not answer.
    """
    from stripe import StripeError  # see stripe/client.py

    try:
        for found in islice(find_differences(since=timezone.now() - timedelta(days=DAYS)), MOST):
            yield Difference(
                what=found.said,
                reference=code(found.subject),
                says="The worker repairs it by itself." if found.repair else "It stays.",
                way_out=found.way_out,
                href="",
            )
    except StripeNotConfigured as error:
        raise DeskRefused("This store has no Stripe to compare with.") from error
    except StripeError as error:
        raise DeskRefused("Stripe does not answer just now: please try again.") from error


def how_many() -> int:
    """The number of differences, those beyond the newest too."""
    return sum(each.count() for each in (HELD, EVENTS, DEAD))
