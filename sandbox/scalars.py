"""The leaves of a request: strings read as integers, booleans, decimals and metadata."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from sandbox.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

METADATA_KEYS, METADATA_KEY_LENGTH, METADATA_VALUE_LENGTH = 50, 40, 500
_LONGEST_INTEGER = 18


def metadata(value: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Apply the limits of Stripe's metadata; raises ApiError (400) when one is passed."""
    if len(value) > METADATA_KEYS:
        raise ApiError(f"Metadata can have up to {METADATA_KEYS} keys.", param=path)
    for name, text in value.items():
        if not isinstance(text, str):
            raise ApiError("Metadata values must be strings.", param=f"{path}[{name}]")
        if len(name) > METADATA_KEY_LENGTH or len(text) > METADATA_VALUE_LENGTH:
            raise ApiError(
                f"Metadata keys can have up to {METADATA_KEY_LENGTH} characters, and values up to"
                f" {METADATA_VALUE_LENGTH}.",
                param=f"{path}[{name}]",
            )
    return dict(value)


def scalar(arm: Any, value: str, path: str) -> Any:
    """Read one string as `arm`; raises ApiError (400) that names the parameter."""
    if arm is bool:
        if value not in ("true", "false"):
            raise ApiError(f"Invalid boolean: {value}", param=path)
        return value == "true"
    if arm is int:
        return _integer(value, path)
    if arm in (float, Decimal):
        return _decimal(arm, value, path)
    return value


def _integer(value: str, path: str) -> int:
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _LONGEST_INTEGER:
        raise ApiError(f"Invalid integer: {value}", code="parameter_invalid_integer", param=path)
    return int(value)


def _decimal(arm: type, value: str, path: str) -> Any:
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ApiError(f"Invalid decimal: {value}", param=path)
    return float(number) if arm is float else value
