"""What a package costs. Money is decimal here and whole minor units at the payment provider."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator

from .fields import Section
from .figures import PositiveFigure

Currency = Literal["USD", "EUR", "GBP"]
MINOR_DIGITS = 2  # of every currency above, by ISO 4217
MOST = Decimal("999999.99")  # Stripe takes at most eight digits of minor units


def _money(amount: Decimal) -> Decimal:
    cents = amount.quantize(Decimal(1).scaleb(-MINOR_DIGITS))
    if cents != amount:
        raise ValueError(f"must have at most {MINOR_DIGITS} decimals")
    if cents > MOST:
        raise ValueError(f"must be at most {MOST}")
    return cents


Money = Annotated[PositiveFigure, AfterValidator(_money)]


def minor_units(amount: Decimal) -> int:
    """Return the amount in cents or pence, exactly."""
    return int(amount.scaleb(MINOR_DIGITS))


class Price(Section):
    """The one-time price of a version and its maintenance price per month."""

    currency: Currency
    one_time: Money
    maintenance_per_month: Money

    @property
    def one_time_minor(self) -> int:
        """The one-time price in minor units."""
        return minor_units(self.one_time)

    @property
    def maintenance_minor(self) -> int:
        """The maintenance price per month in minor units."""
        return minor_units(self.maintenance_per_month)
