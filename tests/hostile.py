"""Hostile inputs for `touchstone`: each is watched while it runs, counted, and told at the end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import touchstone
import touchstone.verifying
from touchstone.cli import NO_MEMORY, main

SECONDS = 20  # a run takes milliseconds; this is for a machine with much else to do
MEGABYTES = 160  # of address space, the interpreter and its libraries included
VERIFIER = Path(touchstone.__file__).parent.parent
# What the interpreter tells an audit hook of before it happens.
_FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn")
_CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.link", "os.symlink", "os.truncate", "os.ch")
_PROPERTY = "hostile inputs"
_watching = False
_told: list[tuple[str, dict[str, int]]] = []


class Trespass(BaseException):
    """The verifier reached for the network, another program, or a file to change."""


@sys.addaudithook
def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    if event.startswith((*_FORBIDDEN, *_CHANGES)) or (event == "open" and _writes(arguments)):
        raise Trespass(f"{event} {arguments!r}")


def _writes(arguments: tuple[object, ...]) -> bool:
    _path, mode, flags = arguments
    return (isinstance(mode, str) and bool(set(mode) & set("wax+"))) or (
        isinstance(flags, int) and bool(flags & 3)
    )


class Attacker:
    """Runs the command on hostile files of one folder and counts how each run ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ended: Counter[str] = Counter()

    def __call__(self, command: str, files: Mapping[str, bytes]) -> tuple[int, str]:
        """Write `files`, run `command` among them, and give its exit code and what it said.

        Words of `command` that name one of `files` become its path. What it must do on any
        input is asserted here; what this input deserves is the caller's to assert.
        """
        return self._told(files, *self._twice(_watched, command, files))

    def apart(self, command: str, files: Mapping[str, bytes]) -> tuple[int, str]:
        """The same in a process of its own, which is refused more than MEGABYTES of memory."""
        return self._told(files, *self._twice(_limited, command, files))

    def _twice(
        self, run: Callable[[list[str]], tuple[int, str]], command: str, files: Mapping[str, bytes]
    ) -> tuple[int, str]:
        for left in self._folder.iterdir():
            left.unlink()
        for name, content in files.items():
            (self._folder / name).write_bytes(content)
        argv = [str(self._folder / word) if word in files else word for word in command.split()]
        code, said = run(argv)
        as_json, report = run([*argv, "--json"])
        # Where memory ends there is no report, only the exit code.
        told = json.loads(report)["exitCode"] if report else 2
        assert told == as_json == code
        return code, said

    def _told(self, files: Mapping[str, bytes], code: int, said: str) -> tuple[int, str]:
        assert all(character.isprintable() for line in said.split("\n") for character in line)
        found = {path.name: path.read_bytes() for path in self._folder.iterdir()}
        assert found == {name: bytes(content) for name, content in files.items()}
        self.ended[str(code)] += 1
        return code, said


def _watched(argv: list[str]) -> tuple[int, str]:
    global _watching
    out, errors, began = io.StringIO(), io.StringIO(), time.monotonic()
    with redirect_stdout(out), redirect_stderr(errors):
        _watching = True
        try:
            code = main(argv)
        finally:
            _watching = False
    assert time.monotonic() - began < SECONDS
    assert code in {0, 1, 2}
    assert errors.getvalue() == ""
    return code, out.getvalue()


def _limited(argv: list[str]) -> tuple[int, str]:
    limit = f'ulimit -v {MEGABYTES << 10} && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", limit, "sh", sys.executable, "-m", "touchstone", *argv],
        env={**os.environ, "PYTHONPATH": str(VERIFIER), "LC_ALL": "C"},
        timeout=SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr in {"", f"{NO_MEMORY}\n"}
    assert done.returncode in ({2} if done.stderr else {0, 1, 2})
    return done.returncode, done.stdout


@pytest.fixture
def attack(
    tmp_path: Path, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Iterator[Attacker]:
    """An attacker with a folder of its own; its count is told when the test has ended."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    attacker = Attacker(folder)
    yield attacker
    kind = Path(request.node.path).stem.removeprefix("test_verifier_attacks_")
    if attacker.ended:
        record_property(_PROPERTY, [kind, dict(attacker.ended)])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Hear each test's count; under xdist the controller hears its workers' too."""
    if report.when == "teardown":
        _told.extend(
            (value[0], value[1])
            for name, value in report.user_properties
            if name == _PROPERTY and isinstance(value, list)
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many hostile inputs were tried and how they ended."""
    totals: dict[str, Counter[str]] = {}
    for kind, ended in _told:
        for row in (kind, "all"):
            totals.setdefault(row, Counter()).update(ended)
    if totals:
        terminalreporter.section("hostile inputs, and the verifier's exit code")
        columns = ("0", "1", "2")
        terminalreporter.write_line(f"{'':<12}{'tried':>8}" + "".join(f"{c:>8}" for c in columns))
    for kind in sorted(totals, key=lambda row: (row == "all", row)):
        counts = "".join(f"{totals[kind][code]:>8}" for code in columns)
        terminalreporter.write_line(f"{kind:<12}{totals[kind].total():>8}{counts}")
