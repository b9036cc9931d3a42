"""`sha256sum -c` over an unpacked kit and a folder of weights, beside our own check."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from touchstone.cli import main

from tests.verifier.kits import KIT, ROOT, SHARDS, kit_files, lay_out

pytestmark = pytest.mark.skipif(
    not (shutil.which("sha256sum") and shutil.which("tar")), reason="needs coreutils and tar"
)


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """A kit as tar unpacks it, beside the weights that it names."""
    lay_out(tmp_path, {"kit.tar.gz": KIT})
    subprocess.run(["tar", "-xzf", "kit.tar.gz"], cwd=tmp_path, check=True)
    lay_out(tmp_path / "models", SHARDS)
    return tmp_path / ROOT


def sha256sum(folder: Path, sums: Path) -> tuple[int, dict[str, str]]:
    """Its exit code, and what it said of each file."""
    done = subprocess.run(
        ["sha256sum", "--strict", "-c", str(sums)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C"},
    )
    return done.returncode, dict(line.split(": ", 1) for line in done.stdout.splitlines())


def weights(root: Path) -> int:
    models = root.parent / "models"
    return main(["weights", str(models), "--sums", str(root / "weights/SHA256SUMS")])


def test_every_file_of_an_unpacked_kit_is_ok(unpacked: Path) -> None:
    listed = dict.fromkeys(kit_files().keys() - {"SHA256SUMS"}, "OK")
    assert sha256sum(unpacked, unpacked / "SHA256SUMS") == (0, listed)


def test_a_changed_file_of_a_kit_is_named(unpacked: Path) -> None:
    (unpacked / "README.md").write_bytes(b"Another kit.\n")
    code, said = sha256sum(unpacked, unpacked / "SHA256SUMS")
    assert (code, said.pop("README.md")) == (1, "FAILED")
    assert set(said.values()) == {"OK"}


def test_both_find_the_weights_in_order(unpacked: Path) -> None:
    found = sha256sum(unpacked.parent / "models", unpacked / "weights/SHA256SUMS")
    assert found == (0, dict.fromkeys(SHARDS, "OK"))
    assert weights(unpacked) == 0


@pytest.mark.parametrize("shard", SHARDS)
def test_both_name_a_changed_shard(
    unpacked: Path, shard: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (unpacked.parent / "models" / shard).write_bytes(b"x" * len(SHARDS[shard]))
    code, said = sha256sum(unpacked.parent / "models", unpacked / "weights/SHA256SUMS")
    assert (code, said[shard]) == (1, "FAILED")
    assert weights(unpacked) == 1
    assert f"FAILS  weights {shard}: other bytes" in capsys.readouterr().out


def test_both_name_a_missing_shard(unpacked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (unpacked.parent / "models/a-00001.safetensors").unlink()
    code, said = sha256sum(unpacked.parent / "models", unpacked / "weights/SHA256SUMS")
    assert (code, said["a-00001.safetensors"]) == (1, "FAILED open or read")
    assert weights(unpacked) == 1
    assert "FAILS  weights a-00001.safetensors: missing" in capsys.readouterr().out
