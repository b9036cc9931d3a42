"""The versions of a package side by side, as far as their figures may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from catalog.claims import LATENCIES
from catalog.definition import Definition
from catalog.models import PackageVersion

COLUMNS = 5
Key = tuple[str, int, str, str]  # profile, concurrency, figure, unit


@dataclass(frozen=True, kw_only=True)
class Column:
    """One version; `differs` names what keeps its figures apart from those of the receipt."""

    version: str
    state: str
    current: bool
    differs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Value:
    """A figure of one version, and by how many percent it is above that of the receipt."""

    figure: Decimal | None
    percent: Decimal | None


@dataclass(frozen=True, kw_only=True)
class HistoryRow:
    """One figure through the versions, in the order of the columns."""

    profile: str
    concurrency: int
    name: str
    unit: str
    values: tuple[Value, ...]


@dataclass(frozen=True, kw_only=True)
class History:
    """The table; it has one column where the package has one version."""

    columns: tuple[Column, ...]
    rows: tuple[HistoryRow, ...]


def history(current: PackageVersion, versions: Iterable[PackageVersion]) -> History:
    """Line up the figures of `versions` with those of `current`, which comes first.

    Figures that were measured by another protocol or on another machine are not lined up.
    """
    others = [version for version in versions if version.pk != current.pk]
    shown = [current, *others[: COLUMNS - 1]]
    columns = tuple(
        Column(
            version=each.version,
            state=each.state,
            current=each is current,
            differs=_differences(current.definition, each.definition),
        )
        for each in shown
    )
    tables = [
        {} if column.differs else dict(_figures(each.definition))
        for column, each in zip(columns, shown, strict=True)
    ]
    keys = dict.fromkeys(key for table in tables for key in table)
    return History(columns=columns, rows=tuple(_row(key, tables) for key in keys))


def _differences(ours: Definition, theirs: Definition) -> tuple[str, ...]:
    sides = (
        ("protocol", ours.protocols.serving_curve, theirs.protocols.serving_curve),
        ("hardware", ours.hardware, theirs.hardware),
        ("model", ours.model.name, theirs.model.name),
    )
    return tuple(name for name, one, other in sides if one != other)


def _figures(definition: Definition) -> Iterator[tuple[Key, Decimal]]:
    unit = definition.protocols.serving_curve.throughput_unit
    for point in definition.measured_points:
        place = point.profile, point.concurrency
        yield (*place, "Aggregate", unit), point.aggregate
        for name in LATENCIES:
            latency = getattr(point, name)
            for statistic, value in latency.measured if latency else ():
                yield (*place, f"{name.upper()} {statistic}", latency.unit), value


def _row(key: Key, tables: list[dict[Key, Decimal]]) -> HistoryRow:
    profile, concurrency, name, unit = key
    base = tables[0].get(key)
    return HistoryRow(
        profile=profile,
        concurrency=concurrency,
        name=name,
        unit=unit,
        values=tuple(_value(table.get(key), base if n else None) for n, table in enumerate(tables)),
    )


def _value(figure: Decimal | None, base: Decimal | None) -> Value:
    percent = (figure / base - 1) * 100 if figure is not None and base else None
    return Value(figure=figure, percent=percent and percent.quantize(Decimal("0.1")))
