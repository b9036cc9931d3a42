"""Amounts for people. Everywhere else they stay integers in minor units."""

from __future__ import annotations

# Stripe's currencies without, and with three, decimal places; all others have two.
_NO_DECIMALS = frozenset(
    [
        "bif",
        "clp",
        "djf",
        "gnf",
        "jpy",
        "kmf",
        "krw",
        "mga",
        "pyg",
        "rwf",
        "ugx",
        "vnd",
        "vuv",
        "xaf",
        "xof",
        "xpf",
    ]
)
_THREE_DECIMALS = frozenset(["bhd", "jod", "kwd", "omr", "tnd"])


def readable(amount: int, currency: str) -> str:
    """Return an amount of minor units as text: 250000 and `usd` give `2,500.00 USD`."""
    decimals = 0 if currency in _NO_DECIMALS else 3 if currency in _THREE_DECIMALS else 2
    whole, part = divmod(amount, 10**decimals)
    fraction = f".{part:0{decimals}d}" if decimals else ""
    return f"{whole:,}{fraction} {currency.upper()}"
