"""Fields of a result, read with their path, so that every refusal names where it is."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar

from touchstone.errors import TouchstoneError
from touchstone.report import printable

AGAIN = "write the result again with the tool, and copy it whole"
MOST = Decimal(10) ** 15
ROUNDING = Decimal("1e-9")
LONGEST = 120  # characters of a text
T = TypeVar("T")


class BenchmarkError(TouchstoneError):
    """A result is refused: the field, what is wrong with it, and the way out."""

    def __init__(self, field: str, problem: str, way_out: str = AGAIN) -> None:
        super().__init__(f"{field}: {problem}; {way_out}")
        self.field, self.problem, self.way_out = field, problem, way_out

    def within(self, where: str) -> BenchmarkError:
        """The same refusal, for a result that is one of several in a file."""
        return BenchmarkError(f"{where}, {self.field}", self.problem, self.way_out)


class Fields:
    """An object of a result at a path. A name that is absent or null was not said."""

    def __init__(self, data: Mapping[str, object], path: str = "") -> None:
        self._data, self._path = data, path

    def path(self, name: str) -> str:
        """Where a field of this object is, such as ``metrics.request_latency``."""
        return f"{self._path}.{name}" if self._path else name

    def says(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return self._data.get(name) is not None

    def has(self, *names: str) -> bool:
        """Whether all these fields are there, null or not."""
        return all(name in self._data for name in names)

    def needed(self, name: str, value: T | None) -> T:
        """Refuse the absence of a field that every result of the tool has."""
        if value is None:
            raise BenchmarkError(self.path(name), "is missing")
        return value

    def section(self, name: str) -> Fields:
        """An object below, empty where it was not said."""
        value = self._data.get(name)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise BenchmarkError(self.path(name), "must be an object")
        return Fields(value, self.path(name))

    def items(self, name: str) -> list[Fields]:
        """The objects of a list, empty where it was not said."""
        value = self._data.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise BenchmarkError(self.path(name), "must be a list of objects")
        return [Fields(each, f"{self.path(name)}[{at}]") for at, each in enumerate(value)]

    def text(self, name: str) -> str | None:
        """A line of text."""
        value = self._data.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise BenchmarkError(self.path(name), "must be one line of printable text")
        if len(value) > LONGEST:
            raise BenchmarkError(self.path(name), f"must have at most {LONGEST} characters")
        return value.strip()

    def word(self, name: str) -> str | None:
        """A line of text, or a number as text."""
        if isinstance(self._data.get(name), str):
            return self.text(name)
        figure = self.figure(name)
        return None if figure is None else str(figure)

    def note(self, name: str) -> str:
        """Text to repeat and not to read: cut, and without what could move a cursor."""
        value = self._data.get(name)
        return printable(value[:200]) if isinstance(value, str) else ""

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self._data.get(name)
        if value is not None and not isinstance(value, bool):
            raise BenchmarkError(self.path(name), "must be true or false")
        return value

    def figure(self, name: str) -> Decimal | None:
        """A number from zero on, with the digits that the file shows."""
        value = self._data.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BenchmarkError(self.path(name), "must be a number")
        figure = Decimal(repr(value))
        if not 0 <= figure < MOST:
            raise BenchmarkError(self.path(name), "must be from 0 to below 1e15")
        return figure

    def count(self, name: str) -> int | None:
        """A whole number from zero on, also where the tool writes it as 40.0."""
        figure = self.figure(name)
        if figure is None:
            return None
        whole = figure.to_integral_value()
        # A tool that adds up floats may write 1280.0000000000002.
        if abs(figure - whole) > ROUNDING * max(whole, Decimal(1)):
            raise BenchmarkError(self.path(name), "must be a whole number")
        return int(whole)
