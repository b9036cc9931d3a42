"""What does not agree: money, events and work that somebody must look at, each with its way out.

Whatever compares the ledger with a provider adds its own differences in `differences`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from entitlements.desk.cells import Cell, amount, code, words
from entitlements.desk.money_lists import HELD
from entitlements.desk.work_lists import DEAD, EVENTS

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


def how_many() -> int:
    """The number of differences, those beyond the newest too."""
    return sum(each.count() for each in (HELD, EVENTS, DEAD))
