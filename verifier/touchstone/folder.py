"""What lies in a folder of weights, judged by look alone: names, kinds and sizes."""

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

_IGNORED = ".cache"  # download tools keep their bookkeeping there


def look_into(directory: Path, names: Collection[str]) -> dict[str, os.stat_result]:
    """Find what lies at the top and in the folders that hold one of `names`.

    Follows no link and enters no other folder, so a cycle or a huge neighbour costs nothing; a
    top-level `.cache` is ignored. Raises OSError.
    """
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    return dict(_walk(directory, folders))


def fault_of_listed(found: os.stat_result | None, size: int | None) -> str:
    """Say what is wrong with a listed file, or nothing; `size` in bytes where it is known."""
    if found is None:
        return "missing"
    if not stat.S_ISREG(found.st_mode):
        return f"is {_kind(found)}, not a file; download into a plain folder"
    if size is not None and found.st_size != size:
        how = "short" if found.st_size < size else "too long"
        return f"{how}: {found.st_size} bytes instead of {size}"
    return ""


def fault_of_extra(found: os.stat_result) -> str:
    """Say what an entry is that no list names."""
    return f"extra: {_kind(found)} that the list does not name"


def _walk(
    directory: Path, folders: set[str], below: str = ""
) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            name = f"{below}{entry.name}"
            if name == _IGNORED:
                continue
            if name in folders and entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), folders, f"{name}/")
            else:
                yield name, entry.stat(follow_symlinks=False)


def _kind(found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "a symbolic link"
    if stat.S_ISDIR(found.st_mode):
        return "a folder"
    return "a file" if stat.S_ISREG(found.st_mode) else "a special file"
