"""What a checkout keeps for itself when the environment names nothing better: one data folder."""

import os
import secrets
from pathlib import Path


def data_folder(base: Path) -> Path:
    """The folder for databases, keys, kits and mails; TOUCHSTONE_DATA moves it."""
    return Path(os.environ.get("TOUCHSTONE_DATA", base / "data")).resolve()


def stored_secret(path: Path) -> str:
    """A random secret kept in a file that only its owner reads; made on first use.

    Two processes may start at once: the file is created exclusively and the loser reads it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _wait_for(path)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text()


def _wait_for(path: Path) -> str:
    # The winner of the race writes within microseconds of creating the file.
    while not (text := path.read_text()):
        pass
    return text
