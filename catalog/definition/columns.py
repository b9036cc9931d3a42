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


def align_cells(rows: tuple[Row, ...], figures: Sequence[str], *names: str) -> tuple[Row, ...]:
    """Do the same for columns whose cells are sections that hold figures under those names."""
    for name in names:
        cells = iter(align(tuple(cell for row in rows if (cell := getattr(row, name))), *figures))
        rows = _with_column(rows, name, [next(cells) if getattr(r, name) else None for r in rows])
    return rows


def _padded(figures: Sequence[Decimal | None]) -> list[Decimal | None]:
    places = max((decimals(figure) for figure in figures if figure is not None), default=0)
    one = Decimal(1).scaleb(-places)
    return [figure.quantize(one) if places and figure is not None else figure for figure in figures]


def _with_column(rows: tuple[Row, ...], name: str, cells: Iterable[object]) -> tuple[Row, ...]:
    return tuple(row.model_copy(update={name: cell}) for row, cell in zip(rows, cells, strict=True))
