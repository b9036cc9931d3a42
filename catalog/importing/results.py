"""Result files and the runs in them, read with everything that is wrong collected."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.benchmarks import BenchmarkError, Run, Stated, read_runs

from catalog.definition import Problem

from .problems import QUESTIONS, ImportRefused, not_said

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
ENDINGS = (".json", ".jsonl")


@dataclass(frozen=True, kw_only=True)
class ResultFile:
    """A file as the tool wrote it, under the name that it keeps in the package folder."""

    name: str
    raw: bytes

    @property
    def sha256(self) -> str:
        """The digest of its bytes, in hex."""
        return hashlib.sha256(self.raw).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One run and the file it is from."""

    file: ResultFile
    run: Run


def read_results(files: Sequence[ResultFile], stated: Stated) -> list[Measured]:
    """Every run of these files, sorted by concurrency.

    Raises ImportRefused with all that is refused, contradicted or not said.
    """
    problems = _name_problems(files)
    found: list[Measured] = []
    for file in files:
        try:
            found += [Measured(file=file, run=run) for run in read_runs(file.raw, stated=stated)]
        except BenchmarkError as error:
            problems.append(Problem(file.name, str(error)))
    problems += _questions(found)
    if problems:
        raise ImportRefused(problems)
    return sorted(found, key=lambda each: each.run.concurrency or 0)


def _name_problems(files: Sequence[ResultFile]) -> list[Problem]:
    problems = [] if files else [Problem("files", "there is none to import")]
    rule = "the name must be letters, digits, dots, hyphens and underscores and end with .json"
    names: dict[str, str] = {}
    digests: dict[str, str] = {}
    for file in files:
        if not NAME.fullmatch(file.name) or not file.name.endswith(ENDINGS):
            problems.append(Problem(file.name[:100] or "files", f"{rule} or .jsonl"))
        if names.setdefault(file.name.casefold(), file.sha256) != file.sha256:
            problems.append(Problem(file.name, "two files have this name; rename one"))
        if digests.setdefault(file.sha256, file.name) != file.name:
            problems.append(Problem(file.name, f"is the same file as {digests[file.sha256]}"))
    return problems


def _questions(found: Sequence[Measured]) -> list[Problem]:
    """One question for each name, over all files that cannot say it."""
    asked: dict[str, list[str]] = {}
    for each in found:
        for name in each.run.unanswered:
            names = asked.setdefault(name, [])
            if each.file.name not in names:
                names.append(each.file.name)
    return [not_said(name, asked[name]) for name in QUESTIONS if name in asked]
