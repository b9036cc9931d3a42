"""Make .venv and install a file of hashed pins: `python demo/install.py requirements.txt`.

Runs on the machine's own Python, before anything is installed: the standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

Command = list[str | Path]

VENV = Path(".venv")
PYTHON = VENV / "bin" / "python"
UNREACHABLE = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|Max retries exceeded"
    r"|Network is unreachable|No matching distribution found|SSLError"
)
NO_NETWORK = (
    "No package index answered with what is needed. Check the network; pip's own settings\n"
    "(PIP_INDEX_URL, PIP_PROXY, PIP_CERT, PIP_FIND_LINKS) are respected. Then run make again."
)
NO_VENV = (
    "This Python cannot make virtual environments: its venv module or pip is missing.\n"
    "Debian and Ubuntu keep it apart: apt-get install python3-venv. Then run make again."
)


class InstallError(Exception):
    """Says what went wrong and the way out."""


def main() -> int:
    """Install the file named on the command line; returns the exit status."""
    pins = Path(sys.argv[1])
    started = time.monotonic()
    try:
        make_environment()
        install(pins)
        install_verifier()
    except InstallError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    print(f"  installed in {time.monotonic() - started:.0f} s")
    return 0


def make_environment() -> None:
    """Make .venv, or make it again when its Python no longer runs; raises InstallError."""
    if PYTHON.exists() and _run([PYTHON, "-m", "pip", "--version"]).returncode == 0:
        return
    print(f"  .venv with Python {sys.version.split()[0]}")
    made = _run([sys.executable, "-m", "venv", "--clear", VENV])
    if made.returncode == 0:
        return
    missing = "ensurepip" in made.stdout or "No module named venv" in made.stdout
    raise InstallError(NO_VENV if missing else _last_lines(made.stdout))


def install(pins: Path) -> None:
    """Install every pin, each held to its hash; raises InstallError."""
    names = re.findall(r"^[a-zA-Z0-9][\w.\[\],-]*==", pins.read_text(), re.MULTILINE)
    print(f"  {len(names)} packages of {pins}")
    command: Command = [PYTHON, "-m", "pip", "install", "--require-hashes", "--retries", "2"]
    _pip([*command, "--progress-bar", "off", "--no-color", "-r", pins], total=len(names))


def install_verifier() -> None:
    """Install the buyer's verifier from its folder, so that `touchstone` is a command."""
    command: Command = [PYTHON, "-m", "pip", "install", "--quiet", "--no-deps"]
    _pip([*command, "--no-build-isolation", "-e", "verifier"], total=0)


def _pip(command: Command, *, total: int) -> None:
    """Run pip, showing a count instead of its own lines; raises InstallError with the last."""
    lines: list[str] = []
    seen = 0
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        for line in pip.stdout or ():
            lines.append(line)
            if line.startswith(("Collecting ", "Requirement already satisfied")):
                seen += 1
                _show(f"  fetching {min(seen, total)} of {total}")
            elif line.startswith("Installing collected"):
                _show("  installing                ")
    if sys.stdout.isatty() and seen:
        print()
    if pip.returncode:
        text = "".join(lines)
        reason = NO_NETWORK if UNREACHABLE.search(text) else "pip could not install the pins."
        raise InstallError(f"{_last_lines(text)}\n\n{reason}")


def _show(text: str) -> None:
    # A log keeps no rewritten line: there, silence until the closing one.
    if sys.stdout.isatty():
        print(f"\r{text}", end="", flush=True)


def _run(command: Command) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def _last_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-8:])


if __name__ == "__main__":
    sys.exit(main())
