"""The demo's data folder: one demo at a time in it, and no other folder is ever emptied."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from demo.errors import DemoError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Any one of these shows that the store itself wrote here.
OURS = ("demo.env", "secret-key", "postgres/PG_VERSION")


@contextmanager
def held(data: Path) -> Iterator[None]:
    """Make the folder if need be and hold it; raises DemoError while another demo does.

    The lock lies on the folder itself and ends with the process, however that ends.
    """
    data.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError(
                f"Another demo runs on {data}. Stop it with Ctrl-C where it runs,\n"
                "or give this one a folder and a port: TOUCHSTONE_DATA=... make demo PORT=8100"
            ) from None
        yield
    finally:
        os.close(descriptor)


def check_may_empty(data: Path, *, checkout: Path) -> None:
    """Raise DemoError unless the folder is the store's data and nothing but that."""
    resolved = data.resolve()
    home = Path.home().resolve()
    if resolved == checkout or resolved in checkout.parents or resolved in (home, *home.parents):
        raise DemoError(f"RESET: {data} holds more than the demo's data; it is left alone.")
    if (resolved / ".git").exists():
        raise DemoError(f"RESET: {data} is a repository; it is left alone.")
    if any(resolved.iterdir()) and not any((resolved / name).exists() for name in OURS):
        raise DemoError(
            f"RESET: {data} holds files, and none that a demo made; it is left alone.\n"
            "Look at TOUCHSTONE_DATA, or remove the folder yourself."
        )


def empty(data: Path, *, checkout: Path) -> None:
    """Delete everything inside the folder; raises DemoError when it is not the store's.

    The folder itself stays: its lock is held, and it may be a mount.
    """
    check_may_empty(data, checkout=checkout)
    for entry in data.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
