"""The supervisor itself, as `make demo` starts it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import embedded
from demo.ports import HOST, free_ports

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
OWN_PARTS = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "STRIPE_SECRET_KEY", "SITE_URL")


@pytest.fixture
def data() -> Iterator[Path]:
    # Not tmp_path: the embedded Postgres opens the permissions of every folder above its data.
    folder = Path(tempfile.mkdtemp(prefix="tsd-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def a_demo(data: Path, *arguments: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if name not in OWN_PARTS}
    kept.pop("TOUCHSTONE_DATABASE_ROLE", None)
    return subprocess.Popen(
        [sys.executable, "-m", "demo", *arguments],
        cwd=ROOT,
        env={**kept, "TOUCHSTONE_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def a_port_and_the_next() -> int:
    for _ in range(50):
        [port] = free_ports(1)
        with socket.socket() as probe:
            if port < 65535 and probe.connect_ex((HOST, port + 1)):
                return port
    raise AssertionError("no two ports in a row are free")


def read_until(demo: subprocess.Popen[str], text: str) -> str:
    assert demo.stdout
    said, deadline = "", time.monotonic() + START_SECONDS
    while text not in said:
        line = demo.stdout.readline()
        assert line, f"the demo ended early:\n{said}"
        assert time.monotonic() < deadline, said
        said += line
    return said


def test_a_taken_port_is_said_before_anything_is_started(data: Path) -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        demo = a_demo(data, "--port", str(port))
        said, _ = demo.communicate(timeout=30)
    assert demo.returncode == 1
    assert f"Port {port}" in said
    assert "PORT=" in said
    assert not (data / "postgres").exists()


def test_reset_leaves_a_strangers_folder_alone(data: Path) -> None:
    (data / "thesis.tex").write_text("years of work")
    demo = a_demo(data, "--port", str(a_port_and_the_next()), "--reset")
    said, _ = demo.communicate(timeout=30)
    assert demo.returncode == 1
    assert "left alone" in said
    assert (data / "thesis.tex").exists()


def test_the_store_comes_up_and_one_interrupt_ends_all_of_it(data: Path) -> None:
    port = a_port_and_the_next()
    with a_demo(data, "--port", str(port)) as demo:
        said = read_until(demo, "Ctrl-C stops everything")
        with urllib.request.urlopen(f"http://{HOST}:{port}/readyz", timeout=10) as answer:
            assert answer.status == 200
        demo.send_signal(signal.SIGINT)
        assert demo.wait(timeout=30) == 0
    assert f"http://{HOST}:{port}/" in said
    assert not embedded.running(data / "postgres")
    for each in (port, port + 1):
        with socket.socket() as probe:
            assert probe.connect_ex((HOST, each)) != 0
