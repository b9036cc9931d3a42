"""The desk's lists of what closes, waits or failed, and of what was done at the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entitlements.desk.cells import Cell, Link, code, purchase_cells, when, words
from entitlements.desk.lists import DeskList, action_link, no_links
from entitlements.models import DeskAction, Hold, Outbox, ProviderEvent

if TYPE_CHECKING:
    from django.db.models import QuerySet

Outcome = ProviderEvent.Outcome


def dead_letters() -> QuerySet[Outbox]:
    """Work that failed as often as it may, and was not done."""
    return Outbox.objects.filter(done_at__isnull=True, attempts__gte=Outbox.MAX_ATTEMPTS).order_by(
        "-id"
    )


def _hold(row: Hold) -> list[Cell]:
    return [
        words(row.get_reason_display()),
        *purchase_cells(row.entitlement.purchase),
        words(row.note),
        when(row.opened_at),
        when(row.released_at),
    ]


def _hold_links(row: Hold) -> list[Link]:
    if row.released_at is not None:
        return []
    return [action_link("Release", "release-hold", row.pk, "release_hold")]


def _event(row: ProviderEvent) -> list[Cell]:
    return [
        code(row.event_id),
        words(row.kind),
        words(row.get_outcome_display()),
        words(row.note),
        when(row.received_at),
    ]


def _event_links(row: ProviderEvent) -> list[Link]:
    return [action_link("Replay", "replay", row.pk, "replay")]


def _letter(row: Outbox) -> list[Cell]:
    return [
        words(row.kind),
        code(" ".join(f"{name} {value}" for name, value in row.payload.items())),
        words(row.attempts),
        words(row.last_error),
        when(row.created_at),
    ]


def _letter_links(row: Outbox) -> list[Link]:
    return [action_link("Try again", "retry", row.pk, "replay")]


def _action(row: DeskAction) -> list[Cell]:
    return [
        when(row.at),
        words(row.actor_email),
        words(row.action.replace("_", " ")),
        code(row.subject),
        words(row.why),
        words("; ".join(f"{name} {value}" for name, value in row.details.items() if value != "")),
    ]


HOLDS = DeskList(
    name="holds",
    title="Holds",
    says="What closes access, on every surface. One for money stays while the money is gone.",
    columns=("Reason", "Entity", "Purchase", "Note", "Opened", "Released"),
    rows=lambda: Hold.objects.select_related("entitlement__purchase__entity").order_by("-pk"),
    waiting=lambda rows: rows.filter(released_at__isnull=True),
    cells=_hold,
    links=_hold_links,
    fields=("note",),
    purchase="entitlement__purchase__",
)
EVENTS = DeskList(
    name="events",
    title="Events",
    says="What providers told us. One that waits is tried again by itself; one may be replayed.",
    columns=("Event", "Kind", "Outcome", "Note", "Received"),
    rows=lambda: ProviderEvent.objects.defer("payload").order_by("-id"),
    waiting=lambda rows: rows.filter(outcome__in=[Outcome.WAITING, Outcome.HELD]),
    cells=_event,
    links=_event_links,
    fields=("event_id", "kind", "note", "payload"),
    purchase=None,
)
DEAD = DeskList(
    name="dead-letters",
    title="Dead letters",
    says="Work after a commit that failed ten times. Mend what it says, then try it again.",
    columns=("Kind", "About", "Attempts", "Last error", "Written"),
    rows=dead_letters,
    waiting=lambda rows: rows,
    cells=_letter,
    links=_letter_links,
    fields=("kind", "last_error", "payload"),
    purchase=None,
)
LOG = DeskList(
    name="log",
    title="Log",
    says="What was done at this desk, by whom and why. No row changes.",
    columns=("When (UTC)", "Who", "What", "To", "Why", "Details"),
    rows=lambda: DeskAction.objects.all(),
    waiting=None,
    cells=_action,
    links=no_links,
    fields=("subject", "actor_email", "why", "details"),
    purchase=None,
)
