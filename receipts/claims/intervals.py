"""Published figures as what they can stand for: any value that rounds to them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Interval:
    """All values from `low` to `high`; arithmetic keeps every value that is possible.

    Both ends must have one sign for a product, and a divisor must be above zero.
    """

    low: Decimal
    high: Decimal

    @classmethod
    def published(cls, figure: Decimal, *, factor: int = 1) -> Interval:
        """What `figure` may have been before it was rounded, in a unit `factor` times smaller."""
        exponent = figure.as_tuple().exponent
        half = Decimal(5).scaleb(int(exponent) - 1)
        return cls((figure - half) * factor, (figure + half) * factor)

    @classmethod
    def exactly(cls, value: int | Decimal) -> Interval:
        """A value that was counted, not rounded."""
        return cls(Decimal(value), Decimal(value))

    @property
    def middle(self) -> Decimal:
        """The value half way between the ends."""
        return (self.low + self.high) / 2

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Interval) -> Interval:
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def widened(self, fraction: Decimal) -> Interval:
        """The interval with that fraction of its middle added on both sides."""
        more = abs(self.middle) * fraction
        return Interval(self.low - more, self.high + more)

    def overlaps(self, other: Interval) -> bool:
        """Whether one value can be in both."""
        return self.low <= other.high and other.low <= self.high
