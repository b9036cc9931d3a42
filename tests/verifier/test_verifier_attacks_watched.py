"""The watch over the attacks itself: it sees what a verifier must not do."""

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import hostile
from tests.hostile import Attacker, Trespass

DEEDS: dict[str, Callable[[Path], object]] = {
    "write": lambda folder: (folder / "out").write_bytes(b"x"),
    "append": lambda folder: (folder / "kit").open("ab"),
    "mkdir": lambda folder: (folder / "out").mkdir(),
    "unlink": lambda folder: (folder / "kit").unlink(),
    "symlink": lambda folder: (folder / "out").symlink_to("/etc"),
    "connect": lambda _folder: socket.create_connection(("127.0.0.1", 9)),
    "resolve": lambda _folder: socket.getaddrinfo("localhost", 80),
    "start": lambda _folder: subprocess.run(["true"], check=True),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_forbidden_deed_is_stopped(
    attack: Attacker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    monkeypatch.setattr(hostile, "main", lambda _argv: DEEDS[deed](tmp_path / "hostile"))
    with pytest.raises(Trespass):
        attack("verify kit", {"kit": b""})


def test_a_traceback_and_an_exit_code_of_its_own_are_noticed(
    attack: Attacker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile, "main", lambda _argv: 3)
    with pytest.raises(AssertionError):
        attack("verify kit", {"kit": b""})
    monkeypatch.setattr(hostile, "main", lambda _argv: [][0])
    with pytest.raises(IndexError):
        attack("verify kit", {"kit": b""})
