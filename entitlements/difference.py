"""A difference between what a provider says and what our rows say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One line for people: what differs and the way out. `repair` goes through the usual door."""

    subject: str
    said: str
    way_out: str
    repair: Callable[[], object] | None = None

    def __str__(self) -> str:
        return f"{self.subject}: {self.said}. {self.way_out}"
