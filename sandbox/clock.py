"""The sandbox's own time: it runs with the real clock and can be moved forward, never back.

On the way to a later time everything on the agenda happens at its own moment, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox import agenda
from sandbox.errors import ApiError
from sandbox.objects import collecting, dunning, refund_states, renewing, sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandbox.store import Store
    from sandbox.work import Work

ACTIONS: dict[str, Callable[[Work, str], None]] = {
    "session.expire": sessions.lapse,
    "subscription.period_end": renewing.end_period,
    "invoice.finalize": renewing.finalize,
    "invoice.retry": collecting.retry,
    "payment.resolve": collecting.resolve,
    "refund.fail": refund_states.fail,
    "refund.succeed": refund_states.succeed,
    "subscription.expire": dunning.expire,
}
_SHOWN = 20
FARTHEST = 5 * 366 * 86_400


def state(work: Work) -> dict[str, Any]:
    """Return the time and what comes next."""
    return {
        "now": work.now,
        "real": int(work.real),
        "agenda": agenda.upcoming(work.connection, most=_SHOWN),
    }


def move(store: Store, values: Any) -> dict[str, Any]:
    """Move the time as a control request asks, and return what happened on the way.

    Raises ApiError (400) for a time that is not later, or farther than five years.
    """
    with store.transaction() as work:
        target = _target(values, work.time)
    happened = []
    while entry := do_next(store, until=target):
        happened.append({"at": entry.at, "action": entry.action, "object": entry.object})
    with store.transaction() as work:
        work.move_to(target)
        return state(work) | {"happened": happened}


def do_due(store: Store) -> None:
    """Do everything that is due by now."""
    while do_next(store):
        pass


def do_next(store: Store, *, until: float | None = None) -> agenda.Entry | None:
    """Do the earliest thing due, in a transaction of its own whose time is its moment."""
    with store.transaction() as work:
        entry = agenda.take(work.connection, until=work.time if until is None else until)
        if entry is not None:
            work.move_to(entry.at)
            work.time = entry.at
            ACTIONS[entry.action](work, entry.object)
        return entry


def _target(values: Any, now: float) -> float:
    given = set(values) if isinstance(values, dict) else set()
    if given not in ({"advance"}, {"to"}):
        raise ApiError('Send either {"advance": seconds} or {"to": Unix seconds}.')
    name = given.pop()
    number = values[name]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ApiError(f"Invalid {name}: must be a number of seconds", param=name)
    target = now + number if name == "advance" else number
    if not now <= target <= now + FARTHEST:
        raise ApiError(
            f"Invalid {name}: the time moves forward only, and up to five years at once"
            f" (it is {int(now)} now)",
            param=name,
        )
    return float(target)
