"""How far a long check has come, on a terminal."""

import time
from threading import Lock
from typing import TextIO

_INTERVAL = 0.5  # seconds between two lines, so that the terminal costs nothing


class Progress:
    """Counts bytes from several threads and rewrites one line: done, rate and time left."""

    def __init__(self, *, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._lock = Lock()
        self._done = 0
        self._began = self._written = time.monotonic()

    def advance(self, size: int) -> None:
        """Count `size` more bytes."""
        with self._lock:
            self._done += size
            now = time.monotonic()
            if now - self._written >= _INTERVAL:
                self._written = now
                self._write(self._line(now - self._began))

    def finish(self) -> None:
        """Clear the line, for the report to follow."""
        with self._lock:
            self._write("")

    def _line(self, elapsed: float) -> str:
        rate = self._done / elapsed
        left = max(self._total - self._done, 0) / rate
        share = 100 * self._done // max(self._total, 1)
        minutes, seconds = divmod(round(left), 60)
        return f"{share:3d}%  {rate / 1e9:.2f} GB/s  {minutes}:{seconds:02d} left"

    def _write(self, line: str) -> None:
        self._stream.write(f"\r\x1b[K{line}")
        self._stream.flush()
