"""The processes that a demo starts: each with a log of its own, none left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.errors import DemoError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SHOWN_LINES = 15
GRACE_SECONDS = 10.0
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Child:
    """A running part: its name, its process (leader of its own group) and its log."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


class Family:
    """Starts children, notices a crash, and stops them, the newest first."""

    def __init__(self, *, logs: Path, folder: Path) -> None:
        self._logs = logs
        self._folder = folder
        self._children: list[Child] = []
        logs.mkdir(parents=True, exist_ok=True)

    def start(self, name: str, command: Sequence[str], variables: Mapping[str, str]) -> Child:
        """Start a part that runs until `stop`."""
        child = self._spawn(name, command, variables)
        self._children.append(child)
        return child

    def run(
        self,
        name: str,
        command: Sequence[str],
        variables: Mapping[str, str],
        *,
        patience: float = 0.0,
    ) -> None:
        """Run a command to its end; raises DemoError with its last lines when it fails.

        When the demo is to stop meanwhile, the command has `patience` seconds to finish first.
        """
        child = self._spawn(name, command, variables)
        try:
            status = child.process.wait()
        except BaseException:
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(patience)
            _end([child])
            raise
        if status:
            raise DemoError(_obituary(child))

    def check(self) -> None:
        """Raise DemoError when a part has ended by itself."""
        for child in self._children:
            if child.process.poll() is not None:
                raise DemoError(_obituary(child))

    def stop(self) -> None:
        """Ask every part to end, and after ten seconds make it."""
        _end(self._children[::-1])
        self._children.clear()

    def _spawn(self, name: str, command: Sequence[str], variables: Mapping[str, str]) -> Child:
        log = self._logs / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                cwd=self._folder,
                env=dict(variables),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Ctrl-C reaches the supervisor alone, which then ends its children in order.
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        return Child(name, process, log)


def _end_with_parent() -> None:
    # A supervisor killed with SIGKILL runs no clean-up: Linux then sends this to the child.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _end(children: Sequence[Child]) -> None:
    for child in children:
        _signal(child, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(max(0.0, deadline - time.monotonic()))
        # Also after a clean end: a grandchild may have outlived the leader of its group.
        _signal(child, signal.SIGKILL)
        child.process.wait()


def _signal(child: Child, number: signal.Signals) -> None:
    # macOS answers EPERM for a group whose members have all ended.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process.pid, number)


def last_words(log: Path) -> str:
    """The last lines of a log, indented for a message that quotes them."""
    lines = log.read_text(errors="replace").rstrip().splitlines()[-SHOWN_LINES:]
    return "\n".join(f"    {line}" for line in lines) or "    (it said nothing)"


def _obituary(child: Child) -> str:
    status = child.process.returncode
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return f"{child.name} ended {how}. The last lines of {child.log}:\n{last_words(child.log)}"
