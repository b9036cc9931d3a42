"""Result files found on disk: those named, and those in the folders named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from touchstone.benchmarks import LARGEST

from catalog.definition import Problem

from .problems import ImportRefused
from .results import ENDINGS, ResultFile


def gather(paths: Iterable[Path]) -> list[ResultFile]:
    """Read each file once, and of each folder the .json and .jsonl files right in it.

    Raises ImportRefused for what is missing, a link or no regular file, and an empty folder.
    """
    found: list[ResultFile] = []
    problems: list[Problem] = []
    for path in paths:
        inside = sorted(each for each in path.glob("*") if each.name.endswith(ENDINGS))
        if path.is_dir() and not inside:
            problems.append(Problem(path.name, "holds no .json or .jsonl file"))
        for file in inside if path.is_dir() else [path]:
            try:
                found.append(ResultFile(name=file.name, raw=_read(file)))
            except OSError as error:
                problems.append(Problem(file.name, str(error.strerror or error).lower()))
    if problems:
        raise ImportRefused(problems)
    return found


def _read(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("only regular files are read")
        return file.read(LARGEST + 1)
