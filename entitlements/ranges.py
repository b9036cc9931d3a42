"""Byte ranges by RFC 9110, section 14: one range, or the whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ONE_RANGE = re.compile(r"bytes=(\d*)-(\d*)", re.ASCII | re.IGNORECASE)


class RangeNotSatisfiable(Exception):
    """The range lies outside the bytes: 416."""


@dataclass(frozen=True)
class Span:
    """Bytes from `first` to `last`, both included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1

    def header(self, size: int) -> str:
        """The Content-Range of this span."""
        return f"bytes {self.first}-{self.last}/{size}"


def requested_span(*, header: str, if_range: str, etag: str, size: int) -> Span | None:
    """The span a request asks for; None for the whole.

    Several ranges and unknown units are ignored, as the RFC allows; an If-Range that is not
    the strong ETag asks for the whole. Raises RangeNotSatisfiable.
    """
    if not header or (if_range and if_range.strip() != etag):
        return None
    match = _ONE_RANGE.fullmatch(header.strip())
    if match is None or not any(match.groups()):
        return None
    first, last = match.groups()
    if not first:
        return _suffix(_number(last), size)
    start, end = _number(first), _number(last) if last else size - 1
    if last and end < start:
        return None
    if start >= size:
        raise RangeNotSatisfiable
    return Span(start, min(end, size - 1))


def _suffix(length: int, size: int) -> Span:
    if length == 0:
        raise RangeNotSatisfiable
    return Span(max(0, size - length), size - 1)


def _number(digits: str) -> int:
    # Python refuses to read thousands of digits. The first nineteen are past any end already.
    return int(digits.lstrip("0")[:19] or "0")
