"""Ours and pgbench in turns, so that a slow spell hits both."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from bench.completions import work
from bench.completions.script import record
from bench.completions.store import open_store
from config import embedded

CONNECTIONS = (1, 8)


def measure(scratch: Path, *, rounds: int, share: int) -> Iterator[str]:
    """A line for each number of connections: both medians a second and their ratio."""
    each = 2 * sum(CONNECTIONS) * share
    open_store(1 + rounds * each)
    try:
        text, statements = record(0)
        script = scratch / "completion.sql"
        script.write_text(text)
        base = 1
        for connections in CONNECTIONS:
            mine, other = [], []
            for _ in range(rounds):
                mine.append(work.ours(base=base, share=share, processes=connections))
                base += connections * share
                other.append(work.pgbench(script, base=base, share=share, clients=connections))
                base += connections * share
            yield line(connections, statements, statistics.median(mine), statistics.median(other))
    finally:
        embedded.stop(settings.DATA_DIR / "postgres")


def line(connections: int, statements: int, mine: float, other: float) -> str:
    """One line of the report."""
    name = f"completion, {statements} statements, {connections} conn."
    return (
        f"{name:<36} {mine:8,.1f} a second   pgbench, same SQL {other:8,.1f} a second"
        f"   ratio {mine / other:5.2f}"
    )
