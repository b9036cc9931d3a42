"""JSON read strictly, so that two readers of one signed document cannot see different things."""

import json
import math

from touchstone.errors import TouchstoneError

# A small object takes forty times its text: what is parsed is bounded by parts, not bytes alone.
MAX_PARTS = 200_000


class StrictJsonError(TouchstoneError):
    """Not JSON, or JSON that readers disagree about."""


def load_object(raw: bytes, *, limit: int) -> dict[str, object]:
    """Read one JSON object as `load_document` does. Raises StrictJsonError."""
    value = load_document(raw, limit=limit)
    if not isinstance(value, dict):
        raise StrictJsonError("not a JSON object")
    return value


def load_document(raw: bytes, *, limit: int) -> object:
    """Read one JSON value of at most `limit` bytes of UTF-8.

    Refuses more than MAX_PARTS parts, repeated names, NaN, infinities and numbers that overflow to
    one, lone surrogates and nesting beyond what the parser can hold. Integers stay integers.
    Raises StrictJsonError.
    """
    if len(raw) > limit:
        raise StrictJsonError(f"longer than {limit} bytes")
    # Marks inside strings count too: this is a bound, not the number.
    if sum(raw.count(mark) for mark in (b"{", b"[", b",")) > MAX_PARTS:
        raise StrictJsonError(f"has more than {MAX_PARTS} parts")
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object_without_repeats,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
        )
        # A lone surrogate can only come from an escape: most documents need no second look.
        if b"\\ud" in raw or b"\\uD" in raw:
            _refuse_lone_surrogates(value)
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise StrictJsonError("nested too deeply") from error
    except ValueError as error:
        raise StrictJsonError(f"not JSON: {error}") from error
    return value


def _object_without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise StrictJsonError(f"the name {name[:40]!r} appears twice in one object")
        found[name] = value
    return found


def _refuse_constant(name: str) -> object:
    raise StrictJsonError(f"{name} is not JSON")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise StrictJsonError(f"the number {text[:40]} is too large")
    return number


def _refuse_lone_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise StrictJsonError("a string holds half of a surrogate pair") from error
