"""What a provider tells: one event, and the two answers that are neither yes nor no."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


class OfNoConcern(Exception):
    """Nothing here follows from the event; the message says why."""


class TooEarly(Exception):
    """What the event is about is not known here yet; the message names it."""


@dataclass(frozen=True, kw_only=True)
class News:
    """A verified event: its subject as it was then, by the provider's own clock."""

    kind: str
    subject: Mapping[str, Any]
    said_at: datetime
    recorded_by: str


# What was read becomes rows: called inside the transaction that stores the event.
Apply = Callable[[], object]
# Reads an event, and whatever else must be asked of the provider, before any row is held.
Reader = Callable[[News], Apply]
