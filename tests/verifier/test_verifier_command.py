"""The command itself: usage, colours, copies in kits, and machines that lack something."""

import importlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import touchstone
from touchstone import cli
from touchstone.cli import main
from touchstone.report import Report, printable

from tests.verifier.kits import KEYS, KIT, RECEIPT, SHARDS, kit_files, lay_out

PACKAGE = Path(touchstone.__file__).parent
Capture = pytest.CaptureFixture[str]
# Every import that a bare machine would refuse is refused, by a module found before the real one.
MISSING = "raise ModuleNotFoundError(\"No module named '{0}'\", name='{0}')\n"


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """An unpacked kit with its copy of the verifier, beside files to check."""
    root = lay_out(tmp_path / "tiny-1x1-1.0.0", kit_files())
    shutil.copytree(
        PACKAGE, root / "verifier/touchstone", ignore=shutil.ignore_patterns("__pycache__")
    )
    lay_out(tmp_path, {"kit": KIT, "receipt": RECEIPT, "keys": KEYS})
    lay_out(tmp_path / "models", SHARDS)
    return root


def run(root: Path, *argv: str, missing: str = "django") -> subprocess.CompletedProcess[str]:
    blocked = lay_out(root / "blocked", {f"{missing}.py": MISSING.format(missing).encode()})
    return subprocess.run(
        [sys.executable, "-m", "touchstone", *argv],
        cwd=root / "verifier",
        env={**os.environ, "PYTHONPATH": str(blocked)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_copy_in_a_kit_runs_without_django(unpacked: Path) -> None:
    done = run(unpacked, "--version")
    assert (done.returncode, done.stdout) == (0, f"touchstone {touchstone.__version__}\n")


def test_the_copy_in_a_kit_verifies_that_kit(unpacked: Path) -> None:
    files = ("../../kit", "--receipt", "../../receipt", "--keys", "../../keys")
    done = run(unpacked, "verify", *files)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_copy_in_a_kit_knows_its_own_list_of_weights(unpacked: Path) -> None:
    assert run(unpacked, "weights", "../../models").returncode == 0
    (unpacked.parent / "models/extra").touch()
    assert run(unpacked, "weights", "../../models").returncode == 1


def test_weights_need_no_cryptography(unpacked: Path) -> None:
    assert run(unpacked, "weights", "../../models", missing="cryptography").returncode == 0


def test_verify_says_that_cryptography_is_missing(unpacked: Path) -> None:
    files = ("../../kit", "--receipt", "../../receipt", "--keys", "../../keys")
    done = run(unpacked, "verify", *files, missing="cryptography")
    assert (done.returncode, done.stderr) == (2, "")
    assert "install it: python -m pip install cryptography" in done.stdout


def test_a_reader_that_leaves_causes_no_traceback(unpacked: Path) -> None:
    command = f"{sys.executable} -m touchstone weights ../../models | true"
    done = subprocess.run(
        ["bash", "-c", command], cwd=unpacked / "verifier", capture_output=True, check=True
    )
    assert done.stderr == b""


def test_the_installed_command_is_this_one() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["touchstone"].partition(":")
    assert getattr(importlib.import_module(module), name) is main


def test_the_package_needs_cryptography_alone() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    [needed] = project["dependencies"]
    assert needed.startswith("cryptography")


@pytest.mark.parametrize("argv", [[], ["verify"], ["verify", "kit"], ["nothing"], ["--wrong"]])
def test_wrong_usage_ends_with_2(argv: list[str], capsys: Capture) -> None:
    assert main(argv) == 2
    assert "usage: touchstone" in capsys.readouterr().err


def test_help_names_the_exit_codes(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    assert "2: it could not be checked" in capsys.readouterr().out


def test_an_interruption_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    def interrupt(**_kwargs: object) -> Report:
        raise KeyboardInterrupt

    (tmp_path / "kit").write_bytes(KIT)
    monkeypatch.setattr(cli, "check_weights", interrupt)
    assert main(["weights", str(tmp_path), "--kit", str(tmp_path / "kit")]) == 2
    assert "interrupted" in capsys.readouterr().err


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert cli._coloured()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not cli._coloured()


def test_a_report_in_colour_still_says_it_in_words() -> None:
    report = Report()
    report.fails("size", "wrong")
    assert report.as_text(colour=True).startswith("\x1b[1;31mFAILS\x1b[0m  size: wrong\n")


def test_a_hostile_name_cannot_move_the_cursor() -> None:
    assert printable("a\x1b[2J\r\n\udc80é") == "a\\x1b[2J\\r\\n\\udc80é"


def test_a_hostile_text_cannot_fill_the_screen() -> None:
    report = Report()
    report.fails("k" * 3_000_000, "d" * 3_000_000)
    assert len(report.as_text()) < 5_000
    assert "... and 2998000 more characters" in report.as_text()


def test_a_report_with_nothing_in_it_does_not_hold() -> None:
    assert Report().exit_code == 2


def test_a_failure_outweighs_what_was_left_unchecked() -> None:
    report = Report()
    report.unchecked("a", "")
    report.fails("b", "")
    report.holds("c", "")
    assert (report.outcome, report.exit_code) == ("fails", 1)
