"""An import written into a package folder: raw files first, then the definition, or nothing."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from catalog.definition import Problem
from catalog.definition.evidence import RAW_FOLDER
from catalog.definition.loading import NAME

from .planning import Imported
from .problems import ImportRefused


def write_import(folder: Path, imported: Imported) -> None:
    """Write the raw files and the new ``package.yaml``; readers see the old one or the new.

    Raises ImportRefused where another file is in the way. A failure leaves the folder as it was.
    """
    raw = folder / RAW_FOLDER
    contents = {raw / file.name: file.raw for file in imported.files}
    _refuse_what_is_in_the_way(raw, contents, imported)
    with contextlib.ExitStack() as undo:
        if not raw.exists():
            raw.mkdir()
            undo.callback(raw.rmdir)
        for path, content in contents.items():
            before = path.read_bytes() if path.exists() else None
            if before != content:
                undo.callback(_restore, path, before)
                _replace(path, content)
        _replace(folder / NAME, imported.package)
        undo.pop_all()


def _refuse_what_is_in_the_way(raw: Path, contents: dict[Path, bytes], imported: Imported) -> None:
    if raw.is_symlink() or (raw.exists() and not raw.is_dir()):
        raise ImportRefused([Problem(RAW_FOLDER, "must be a folder, and no link")])
    problems = []
    for path, content in contents.items():
        name = f"{RAW_FOLDER}/{path.name}"
        if path.is_symlink() or (path.exists() and not path.is_file()):
            problems.append(Problem(name, "must be a regular file"))
        elif path.exists() and name not in imported.released and path.read_bytes() != content:
            problems.append(Problem(name, "exists with other content; rename one of them"))
    if problems:
        raise ImportRefused(problems)


def _replace(path: Path, content: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _restore(path: Path, before: bytes | None) -> None:
    if before is None:
        path.unlink(missing_ok=True)
    else:
        _replace(path, before)
