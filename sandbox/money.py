"""Amounts for people. Everywhere else they stay integers in minor units."""

from __future__ import annotations

# Stripe's currencies without, and with three, decimal places; all others have two.
_DECIMALS = {
    **dict.fromkeys(("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga"), 0),
    **dict.fromkeys(("pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf"), 0),
    **dict.fromkeys(("bhd", "jod", "kwd", "omr", "tnd"), 3),
}


def readable(amount: int, currency: str) -> str:
    """Return an amount of minor units as text: 250000 and `usd` give `2,500.00 USD`."""
    decimals = _DECIMALS.get(currency, 2)
    whole, part = divmod(amount, 10**decimals)
    fraction = f".{part:0{decimals}d}" if decimals else ""
    return f"{whole:,}{fraction} {currency.upper()}"
