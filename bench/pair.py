"""One comparison: the same work, done by ours and by a rival."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The work by name, who does it, and how much of which unit one call does."""

    name: str
    ours: Callable[[], object]
    rival_name: str
    rival: Callable[[], object]
    amount: float
    unit: str
