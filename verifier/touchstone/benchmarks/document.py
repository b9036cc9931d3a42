"""The JSON of a result file: one object, a list of them, or one a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from touchstone.benchmarks.fields import AGAIN, BenchmarkError
from touchstone.report import printable
from touchstone.strictjson import StrictJsonError, load_document

LARGEST = 16 << 20  # bytes
MOST_RUNS = 500
FINITE = (
    'where it means "no limit", write the text "inf" in its place, else run the benchmark again'
)


class _NotFinite(str):
    """What stands where JSON has no number for it."""

    __slots__ = ()


def documents(raw: bytes) -> list[tuple[str, dict[str, object]]]:
    """Each result in a file, with its place where there are several.

    Raises BenchmarkError for what is no strict JSON, and for a file without results.
    """
    if len(raw) > LARGEST:
        raise BenchmarkError("file", f"larger than {LARGEST} bytes", "write a summary only")
    lines = _lines(raw)
    found = [each for line in lines for each in _objects(*line)] if lines else _objects("", raw)
    if not found:
        raise BenchmarkError("file", "holds no result")
    if len(found) > MOST_RUNS:
        raise BenchmarkError("file", f"holds more than {MOST_RUNS} results", "split it")
    return found


def _lines(raw: bytes) -> list[tuple[str, bytes]]:
    """The lines of JSON Lines; none where one document spans them."""
    numbered = [(at, line.strip()) for at, line in enumerate(raw.split(b"\n"), start=1)]
    lines = [(f"line {at}", line) for at, line in numbered if line]
    return lines if len(lines) > 1 and _is_whole(lines[0][1]) else []


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _objects(where: str, raw: bytes) -> list[tuple[str, dict[str, object]]]:
    try:
        value = load_document(raw, limit=LARGEST)
    except StrictJsonError as error:
        raise _named(where, raw, str(error)) from None
    if not isinstance(value, list):
        value, places = [value], [where]
    else:
        places = [f"{where}[{at}]" for at in range(len(value))]
    for place, each in zip(places, value, strict=True):
        if not isinstance(each, dict):
            raise BenchmarkError(place or "file", "must be a JSON object")
    return list(zip(places, value, strict=True))


def _named(where: str, raw: bytes, reason: str) -> BenchmarkError:
    """Say which field holds NaN or an infinity: a strict parser stops before it knows."""
    try:
        lenient = json.loads(raw, parse_constant=_NotFinite, parse_float=_float)
        path, shown = next(_not_finite(lenient, ""))
    except (ValueError, RecursionError, StopIteration):
        return BenchmarkError(where or "file", reason, AGAIN)
    refusal = BenchmarkError(path or "file", f"{shown} is no number of JSON", FINITE)
    return refusal.within(where) if where else refusal


def _float(text: str) -> object:
    return _NotFinite(text[:40]) if math.isinf(float(text)) else 0.0


def _not_finite(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _NotFinite):
        yield path, value
    elif isinstance(value, dict):
        for name, each in value.items():
            shown = printable(name[:60])
            yield from _not_finite(each, f"{path}.{shown}" if path else shown)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _not_finite(each, f"{path}[{at}]")
