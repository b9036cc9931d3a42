"""Reading the files of a kit: once, from a tree that holds still."""

import os
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

from .refusals import KitRefused, refuse_content

MOST_BYTES = 64 << 20
TELLING = 32  # bytes of a line that nobody writes twice by chance


def read_file(path: Path, name: str) -> bytes:
    """Return a regular file's content, read once.

    Raises KitRefused for links, devices, oversized files and files that change meanwhile.
    """
    if path.parent.is_symlink():
        raise KitRefused(f"{name}: lies in a folder that is a link, and links are refused")
    try:
        # O_NOFOLLOW: a link put here after the check below must not be followed either.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        reason = "links are refused" if path.is_symlink() else str(error.strerror).lower()
        raise KitRefused(f"{name}: {reason}") from error
    with os.fdopen(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise KitRefused(f"{name}: only regular files go into a kit")
        content = file.read(MOST_BYTES + 1)
        after = os.fstat(descriptor)
    if len(content) > MOST_BYTES:
        raise KitRefused(f"{name}: larger than {MOST_BYTES} bytes")
    if _stamp(before) != _stamp(after) or len(content) != before.st_size:
        raise KitRefused(f"{name}: changed while it was read; build again when it holds still")
    refuse_content(name, content)
    return content


def read_tree(root: Path, prefix: str) -> dict[str, bytes]:
    """Return every file below `root` by its name in the kit, `prefix` first."""
    found: dict[str, bytes] = {}
    if root.is_symlink() or root.parent.is_symlink() or not root.is_dir():
        raise KitRefused(f"{prefix}: must be a folder, and no link")
    for path in sorted(root.rglob("*")):
        name = f"{prefix}/{path.relative_to(root).as_posix()}"
        if path.is_symlink() or not path.is_dir():
            found[name] = read_file(path, name)
    return found


def refuse_collisions(names: Iterable[str]) -> None:
    """Raise KitRefused for names that are one name on some buyer's file system."""
    seen: dict[str, str] = {}
    for name in names:
        folded = unicodedata.normalize("NFC", name).casefold()
        if folded in seen:
            raise KitRefused(f"{name}: is the same name as {seen[folded]} when case is folded")
        seen[folded] = name


def refuse_withheld(files: Mapping[str, bytes], withheld: Mapping[str, bytes]) -> None:
    """Raise KitRefused when a public file repeats what is withheld, or one telling line of it."""
    whole = {name: [secret.strip()] for name, secret in withheld.items() if secret.strip()}
    lines = {name: _telling_lines(secret) for name, secret in withheld.items()}
    for pieces_of in (whole, lines):
        for secret_name, pieces in pieces_of.items():
            for name, content in files.items():
                if any(piece in content for piece in pieces):
                    raise KitRefused(
                        f"{name}: holds the content of {secret_name}, which is withheld"
                    )


def _telling_lines(secret: bytes) -> list[bytes]:
    # Short ones, such as `set -e`, tell nothing and stand in many files.
    lines = (line.strip().rstrip(b"\\").strip() for line in secret.splitlines())
    return [line for line in lines if len(line) >= TELLING]


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns
