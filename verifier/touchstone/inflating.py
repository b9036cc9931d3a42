"""Gzip read forwards in bounded memory, with nothing left unread and nothing left over."""

import zlib
from collections.abc import Iterator
from typing import Protocol

from touchstone.errors import TouchstoneError

BLOCK = 128 << 10
_GZIP_ONLY = 31  # zlib's window bits: a gzip header is required, its checksum is compared


class Source(Protocol):
    """Whatever gives bytes in order, and none at its end."""

    def read(self, size: int, /) -> bytes: ...


class InflateError(TouchstoneError):
    """The bytes are not one whole gzip member, or unpack to more than is allowed."""


class Unpacked:
    """The unpacked bytes of one gzip member, taken a piece at a time."""

    def __init__(self, source: Source, *, limit: int) -> None:
        self._blocks = _inflate(source, limit)
        self._held = b""
        self._at = 0

    def take(self, size: int) -> bytes:
        """Give exactly `size` bytes, or fewer at the end. Raises InflateError."""
        while len(self._held) - self._at < size and (block := next(self._blocks, b"")):
            self._held, self._at = self._held[self._at :] + block, 0
        taken = self._held[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def pieces(self, size: int) -> Iterator[bytes]:
        """Give the next `size` bytes in small pieces. Raises InflateError if they are not there."""
        while size:
            piece = self.take(min(size, BLOCK))
            if not piece:
                raise InflateError("ends in the middle of a file")
            size -= len(piece)
            yield piece


def _inflate(source: Source, limit: int) -> Iterator[bytes]:
    engine = zlib.decompressobj(wbits=_GZIP_ONLY)
    total = 0
    while not engine.eof:
        data = engine.unconsumed_tail or source.read(BLOCK)
        try:
            block = engine.decompress(data, BLOCK)
        except zlib.error as error:
            raise InflateError(f"not intact gzip: {error}") from error
        if not (data or block or engine.eof):
            raise InflateError("cut short: the gzip stream does not end")
        total += len(block)
        if total > limit:
            raise InflateError(f"unpacks to more than {limit} bytes")
        if block:
            yield block
    if engine.unused_data or source.read(1):
        raise InflateError("has bytes after the end of the gzip stream")
