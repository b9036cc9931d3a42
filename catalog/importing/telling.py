"""The imported points as a table of text, for terminals and pages alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .planning import Row

HEADINGS = (
    "At once",
    "Completed",
    "Per GPU",
    "Aggregate",
    "TTFT p50, ms",
    "TPOT p50, ms",
    "E2EL p50, ms",
    "File",
)


def table(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The cells of each row, under `HEADINGS`; a dash is what was not measured."""
    return [_cells(row) for row in rows]


def lines(rows: Sequence[Row]) -> list[str]:
    """The same as aligned lines of text."""
    cells = [HEADINGS, *table(rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(HEADINGS))]
    return [
        "  ".join(
            cell.ljust(width) if at == len(widths) - 1 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _cells(row: Row) -> tuple[str, ...]:
    point = row.point
    return (
        str(point["concurrency"]),
        f"{point['completed']} of {point['requests']}",
        str(point["per_gpu"]),
        str(point["aggregate"]),
        *(_median(point, name) for name in ("ttft", "tpot", "e2el")),
        row.file,
    )


def _median(point: dict[str, Any], name: str) -> str:
    return str(point.get(name, {}).get("p50", "-"))
