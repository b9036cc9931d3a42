import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import processes
from demo.errors import DemoError, Stop
from demo.processes import Family

SLEEPER = "import time; time.sleep(60)"
SLEEP = [sys.executable, "-c", SLEEPER]
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(60)
"""
PARENT = f"""
import subprocess, sys
print(subprocess.Popen([sys.executable, "-c", {SLEEPER!r}]).pid, flush=True)
"""
SUPERVISOR = f"""
import os, sys, time
from pathlib import Path
from demo.processes import Family
family = Family(logs=Path(sys.argv[1]), folder=Path("."))
print(family.start("web", [sys.executable, "-c", {SLEEPER!r}], os.environ).process.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    made = Family(logs=tmp_path / "log", folder=tmp_path)
    yield made
    made.stop()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended stays in the table until its parent asks for its status.
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def ends(pid: int) -> bool:
    """Whether the process is gone within five seconds: a signal takes its time."""
    deadline = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


def wait_for_text(file: Path) -> str:
    deadline = time.monotonic() + 10
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return file.read_text()


def test_stop_ends_every_child(family: Family) -> None:
    children = [family.start(name, SLEEP, os.environ) for name in ("web", "worker")]
    family.stop()
    assert [child.process.returncode for child in children] == [-signal.SIGTERM] * 2


def test_a_child_that_ignores_the_request_is_made_to_end(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.2)
    child = family.start("worker", [sys.executable, "-c", STUBBORN], os.environ)
    wait_for_text(child.log)
    family.stop()
    assert child.process.returncode == -signal.SIGKILL


def test_grandchildren_end_with_their_parent(family: Family) -> None:
    child = family.start("web", [sys.executable, "-c", PARENT], os.environ)
    grandchild = int(wait_for_text(child.log))
    child.process.wait()
    family.stop()
    assert ends(grandchild)


def test_a_crash_is_told_with_its_last_words(family: Family) -> None:
    child = family.start(
        "worker", [sys.executable, "-c", "import sys; sys.exit('no broker')"], os.environ
    )
    child.process.wait()
    with pytest.raises(DemoError, match=r"worker ended with status 1(.|\n)*no broker"):
        family.check()


def test_children_that_run_are_no_crash(family: Family) -> None:
    family.start("web", SLEEP, os.environ)
    family.check()


def test_a_command_that_fails_shows_what_it_said(family: Family) -> None:
    with pytest.raises(DemoError, match=r"migrate ended with status 3(.|\n)*said nothing"):
        family.run("migrate", [sys.executable, "-c", "raise SystemExit(3)"], os.environ)


@pytest.fixture
def stop_soon() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("stop_soon")
def test_stopping_during_a_command_ends_the_command(family: Family, tmp_path: Path) -> None:
    command = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with pytest.raises(Stop):
        family.run("publish", [sys.executable, "-c", command], os.environ)
    assert ends(int((tmp_path / "log" / "publish.log").read_text()))


@pytest.mark.usefixtures("stop_soon")
def test_a_command_that_must_not_be_cut_finishes_first(family: Family, tmp_path: Path) -> None:
    command = "import time; time.sleep(0.6); print('done')"
    with pytest.raises(Stop):
        family.run("postgres", [sys.executable, "-c", command], os.environ, patience=10)
    assert (tmp_path / "log" / "postgres.log").read_text() == "done\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a parent's death")
def test_children_end_when_the_supervisor_is_killed_outright(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SUPERVISOR, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout
        child = int(supervisor.stdout.readline())
        supervisor.kill()
    assert ends(child)
