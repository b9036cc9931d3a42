"""`python -m sandbox` and its settings."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.settings import SettingsError, read_settings

REQUIRED = {
    "SANDBOX_API_KEY": "sk_test_a",
    "SANDBOX_WEBHOOK_URL": "http://127.0.0.1:1/hook/",
    "SANDBOX_WEBHOOK_SECRET": "whsec_a",
}
ROOT = Path(__file__).parents[2]


def start(data: Path, port: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sandbox", "--port", str(port), "--data", str(data)]
    pipe = subprocess.PIPE
    environment = {**os.environ, **REQUIRED}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_when_it_is_ready_and_stops_cleanly(tmp_path: Path, number: int) -> None:
    with start(tmp_path / "s.sqlite3", 0) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("sandbox: ready at http://127.0.0.1:")
        process.send_signal(number)
        assert process.communicate(timeout=20) == ("", "")
        assert process.returncode == 0


def test_a_taken_port_is_a_clear_message(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start(tmp_path / "s.sqlite3", port) as process:
            _, problem = process.communicate(timeout=20)
    assert process.returncode == 2
    assert problem == f"sandbox: 127.0.0.1:{port} is taken. Choose another with --port.\n"


def test_the_command_line_goes_before_the_environment() -> None:
    settings = read_settings(["--port", "9", "--api-key", "sk_test_b"], REQUIRED)
    assert (settings.port, settings.api_key, settings.host) == (9, "sk_test_b", "127.0.0.1")
    assert settings.webhook_secret == "whsec_a"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SANDBOX_API_KEY", "sk_live_a"),
        ("SANDBOX_WEBHOOK_URL", "localhost"),
        ("SANDBOX_WEBHOOK_SECRET", ""),
        ("SANDBOX_PORT", "http"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: str) -> None:
    option = name.removeprefix("SANDBOX_").lower().replace("_", "-")
    with pytest.raises(SettingsError, match=f"--{option}"):
        read_settings([], {**REQUIRED, name: value})
