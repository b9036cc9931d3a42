"""Progress that a person can follow: one line a step, with its seconds."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from demo.errors import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 44


@contextmanager
def step(title: str) -> Iterator[None]:
    """Show the title while the block runs, then its seconds, or that it failed."""
    started = time.monotonic()
    print(f"  {title:<{WIDTH}}", end="", flush=True)
    try:
        yield
    except Stop:
        print(" stopped", flush=True)
        raise
    except BaseException:
        print("  failed", flush=True)
        raise
    print(f"{time.monotonic() - started:6.1f} s", flush=True)
