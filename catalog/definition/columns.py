"""One number of decimals for each column: 34.1 beside 28.74 was published as 34.10."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from .fields import Section
from .figures import decimals

Row = TypeVar("Row", bound=Section)


def align(rows: tuple[Row, ...], *names: str) -> tuple[Row, ...]:
    """Pad the figures of each named column to the longest fraction in it; none is rounded."""
    for name in names:
        rows = _with_column(rows, name, _padded([getattr(row, name) for row in rows]))
    return rows


def align_cells(rows: tuple[Row, ...], figure: str, *names: str) -> tuple[Row, ...]:
    """Do the same for columns whose cells are sections that hold the figure under that name."""
    for name in names:
        cells = align(tuple(getattr(row, name) for row in rows), figure)
        rows = _with_column(rows, name, cells)
    return rows


def _padded(figures: Sequence[Decimal]) -> list[Decimal]:
    places = max(map(decimals, figures), default=0)
    return [figure.quantize(Decimal(1).scaleb(-places)) if places else figure for figure in figures]


def _with_column(rows: tuple[Row, ...], name: str, cells: Iterable[object]) -> tuple[Row, ...]:
    return tuple(row.model_copy(update={name: cell}) for row, cell in zip(rows, cells, strict=True))
