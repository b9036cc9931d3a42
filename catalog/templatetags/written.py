"""Money, bytes, digests and figures as people read them; machines copy the exact value."""

from __future__ import annotations

from decimal import Decimal

from django import template

register = template.Library()
SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}


@register.filter
def money(minor: int, currency: str) -> str:
    """Minor units as money: 230000 USD is $2,300, 230050 USD is $2,300.50."""
    whole, cents = divmod(abs(minor), 100)
    sign = "-" if minor < 0 else ""
    return f"{sign}{SYMBOLS.get(currency, currency + ' ')}{whole:,}" + (
        f".{cents:02}" if cents else ""
    )


@register.filter
def filesize(size: int) -> str:
    """Bytes in decimal units, with the exact number where it is rounded."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        # From here on the next smaller unit would be rounded to 1000.0.
        if size * 20_000 >= factor * 19_999:
            return f"{size / factor:.1f} {unit} ({size:,} bytes)"
    return f"{size:,} bytes"


@register.filter
def figure(value: Decimal | int) -> str:
    """A figure with its published decimals and thousands set apart."""
    return f"{value:,}"


@register.filter
def signed_figure(value: Decimal) -> str:
    """A difference with its sign, a true minus for people."""
    return f"{value:+,}".replace("-", "\N{MINUS SIGN}")
