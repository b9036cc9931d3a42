"""One benchmark run in the terms of a definition, whichever tool made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

LATENCIES = ("ttft", "tpot", "itl", "e2el")
STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the person who reads a file knows besides it; each name is one of `Run`."""

    tool_version: str | None = None
    model: str | None = None
    concurrency: int | None = None
    requests: int | None = None
    completed: int | None = None
    gpus: int | None = None
    seed: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was measured. None is what nobody said; a figure that was not measured is absent.

    Tokens are totals over the completed requests, lengths means of one request, duration is in
    seconds, rates are per second over the whole run, latencies in milliseconds. `tpot` is a mean
    over the tokens of a request after its first, `itl` the gap between two streamed chunks.
    `missing` names what the file cannot say; `read_runs` fills in what was stated of it.
    """

    tool: str
    tool_version: str | None = None
    model: str | None = None
    concurrency: int | None = None
    requests: int | None = None
    completed: int | None = None
    failed: int | None = None
    duration: Decimal | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    prompt_length: Decimal | None = None
    output_length: Decimal | None = None
    output_rate: Decimal
    request_rate: Decimal | None = None
    latencies: Mapping[str, Mapping[str, Decimal]]
    seed: str | None = None
    gpus: int | None = None
    revision: str | None = None
    remarks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def unanswered(self) -> tuple[str, ...]:
        """What neither the file nor anybody said."""
        return tuple(name for name in self.missing if getattr(self, name) is None)

    @property
    def supplied(self) -> tuple[tuple[str, str], ...]:
        """What was stated because the file cannot say it, as text."""
        said = [(name, getattr(self, name)) for name in self.missing]
        return tuple((name, str(value)) for name, value in said if value is not None)
