"""The tables of what was measured: every figure with the remarks that belong beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from catalog.bars import Bars, advantage_bars
from catalog.definition import Definition
from catalog.definition.measurements import (
    Advantage,
    Comparison,
    CurvePoint,
    Latency,
    MeasuredPoint,
    OtherPoint,
    UncharacterisedPoint,
)
from receipts.claims.figures import Finding
from receipts.claims.support import is_supported

LATENCIES = {
    "ttft": "First token",
    "tpot": "Per output token",
    "itl": "Between tokens",
    "e2el": "End to end",
}
# Footnotes are numbered in the order in which a page shows its sections.
SECTIONS = ("serving_curve", "other_points", "comparisons")


@dataclass(frozen=True, kw_only=True)
class Note:
    """A finding that a reader must see beside its figure, under the number of its footnote."""

    number: int
    finding: Finding


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """One statistic of a latency; not supported when the sample is too small for it."""

    name: str
    value: Decimal
    supported: bool


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One latency of one point; no statistics where none was published."""

    statistics: tuple[Statistic, ...] = ()
    unit: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Row:
    """One point. `point` is None where nobody measured; `cells` stand in the order of columns."""

    profile: str
    concurrency: int
    point: MeasuredPoint | OtherPoint | None
    completed: str = "not published"
    cells: tuple[Cell, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A comparison: its chart, and each row with the notes beside it."""

    comparison: Comparison
    chart: Bars
    rows: tuple[tuple[Advantage, tuple[Note, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The rows of both tables, the columns of the second, comparisons, and the footnotes of all."""

    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    comparisons: tuple[Compared, ...]
    notes: tuple[Note, ...]


def measured(definition: Definition, findings: Sequence[Finding]) -> Measured:
    """Lay out the points of a definition with the findings that are more than "holds"."""
    notes = _notes(findings)
    names = [n for n in LATENCIES if n != "itl" or definition.measures_itl]
    rows = [
        _row(point, path=f"serving_curve[{index}]", names=names, notes=notes)
        for index, point in enumerate(definition.serving_curve)
    ]
    rows += [
        _row(point, path=f"other_points[{index}]", names=names, notes=notes)
        for index, point in enumerate(definition.other_points)
    ]
    return Measured(
        rows=tuple(rows),
        columns=tuple(LATENCIES[name] for name in names),
        comparisons=tuple(
            _compared(comparison, path=f"comparisons[{index}]", notes=notes)
            for index, comparison in enumerate(definition.comparisons)
        ),
        notes=tuple(note for each in notes.values() for note in each),
    )


def _compared(comparison: Comparison, *, path: str, notes: dict[str, tuple[Note, ...]]) -> Compared:
    return Compared(
        comparison=comparison,
        chart=advantage_bars(comparison),
        rows=tuple(
            (row, notes.get(f"{path}.advantages[{index}].percent", ()))
            for index, row in enumerate(comparison.advantages)
        ),
    )


def _notes(findings: Sequence[Finding]) -> dict[str, tuple[Note, ...]]:
    # A percentile that the sample cannot support is marked in its cell, without a footnote.
    said = [f for f in findings if f.outcome != "holds" and f.identity != "support"]
    said.sort(key=lambda finding: SECTIONS.index(finding.path.partition("[")[0]))
    found: dict[str, tuple[Note, ...]] = {}
    for number, finding in enumerate(said, start=1):
        note = Note(number=number, finding=finding)
        found[finding.path] = (*found.get(finding.path, ()), note)
    return found


def _row(
    point: CurvePoint | OtherPoint,
    *,
    path: str,
    names: Sequence[str],
    notes: dict[str, tuple[Note, ...]],
) -> Row:
    if isinstance(point, UncharacterisedPoint):
        return Row(profile=point.profile, concurrency=point.concurrency, point=None)
    counts = (point.completed, point.requests) if isinstance(point, MeasuredPoint) else None
    cells = [
        _cell(
            getattr(point, name, None),
            completed=counts[0] if counts else None,
            notes=notes.get(f"{path}.{name}", ()),
        )
        for name in names
    ]
    beside = ("aggregate", "per_gpu", "completed", "duration", "request_rate")
    return Row(
        profile=point.profile,
        concurrency=point.concurrency,
        point=point,
        completed=f"{counts[0]} of {counts[1]}" if counts else "not published",
        cells=tuple(cells),
        notes=tuple(note for name in beside for note in notes.get(f"{path}.{name}", ())),
    )


def _cell(latency: Latency | None, *, completed: int | None, notes: tuple[Note, ...]) -> Cell:
    if latency is None:
        return Cell(notes=notes)
    return Cell(
        statistics=tuple(
            Statistic(
                name=name,
                value=value,
                supported=completed is None or is_supported(name, completed=completed),
            )
            for name, value in latency.measured
        ),
        unit=latency.unit,
        notes=notes,
    )
