"""Published figures: decimal digits kept as they were published, never rounded again.

A figure is a ``Decimal`` in Python and a number in JSON. Fifteen significant digits are the rule
because that is what every binary double carries there and back: ``repr`` writes the shortest
text that names the double, so the text has the digits that were put in. Trailing zeros are the
one thing a JSON number may lose; ``columns.align`` restores those of a column.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, WithJsonSchema

MOST_DIGITS = 15
MOST_DECIMALS = 6
LIMIT = Decimal(10) ** MOST_DIGITS


def _to_decimal(value: object) -> object:
    """Take the numbers of JSON; a bool is an int in Python, and no figure."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value))
    return value


def _bounded(figure: Decimal) -> Decimal:
    if not figure.is_finite():
        raise ValueError("must be a finite number")
    if len(figure.as_tuple().digits) > MOST_DIGITS:
        raise ValueError(f"must have at most {MOST_DIGITS} significant digits")
    if decimals(figure) > MOST_DECIMALS:
        raise ValueError(f"must have at most {MOST_DECIMALS} decimals")
    if abs(figure) >= LIMIT:
        raise ValueError("must be smaller than 1e15")
    return figure if decimals(figure) else figure.quantize(Decimal(1))


def _positive(figure: Decimal) -> Decimal:
    if figure <= 0:
        raise ValueError("must be greater than zero")
    return figure


def _not_negative(figure: Decimal) -> Decimal:
    if figure < 0:
        raise ValueError("must not be negative")
    return figure


def decimals(figure: Decimal) -> int:
    """Digits after the decimal point, as published."""
    exponent = figure.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def json_number(figure: Decimal) -> int | float:
    """Write a whole figure as an integer and any other as the double with the same digits."""
    return float(figure) if decimals(figure) else int(figure)


Figure = Annotated[
    Decimal,
    BeforeValidator(_to_decimal),
    AfterValidator(_bounded),
    PlainSerializer(json_number, return_type=int | float, when_used="json"),
    WithJsonSchema({"type": "number"}),
]
PositiveFigure = Annotated[
    Figure, AfterValidator(_positive), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
]
FigureFromZero = Annotated[
    Figure, AfterValidator(_not_negative), WithJsonSchema({"type": "number", "minimum": 0})
]
