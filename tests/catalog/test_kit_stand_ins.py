"""The stand-in shards come out the same on every machine, and the kit's lists are theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from touchstone.checksums import parse_sums
from touchstone.upstream import parse_upstream
from touchstone.weights import check_weights

from tests.shop import SAMPLE

LISTS = ("SHA256SUMS", "upstream.json")


@pytest.fixture
def shards(package_folder: Path, tmp_path: Path) -> Path:
    """The shards, made beside a copy of the package whose lists are made anew."""
    for name in LISTS:
        (package_folder / "weights" / name).unlink()
    script = package_folder / "make_stand_in_shards.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path / "shards", "--lists"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("96 stand-in shards are in ")
    return tmp_path / "shards"


@pytest.mark.parametrize("name", LISTS)
def test_the_script_makes_the_very_lists_of_the_package(
    shards: Path, package_folder: Path, name: str
) -> None:
    made = (package_folder / "weights" / name).read_bytes()
    assert made == (SAMPLE / "weights" / name).read_bytes()


def test_the_shards_are_those_of_the_lists(shards: Path) -> None:
    sums = parse_sums((SAMPLE / "weights" / "SHA256SUMS").read_bytes())
    upstream = parse_upstream((SAMPLE / "weights" / "upstream.json").read_bytes())
    report = check_weights(directory=shards, sums=sums, upstream=upstream)
    assert report.exit_code == 0
    assert len(sums) == 96
    assert upstream.stand_in


def test_every_shard_says_that_it_is_a_stand_in(shards: Path) -> None:
    for path in shards.iterdir():
        raw = path.read_bytes()
        header = raw[8 : 8 + int.from_bytes(raw[:8], "little")]
        assert b"STAND-IN" in header
        assert len(raw) < 8192


def test_one_flipped_bit_in_one_shard_is_found(shards: Path) -> None:
    victim = shards / "model-00042-of-00096.safetensors"
    raw = bytearray(victim.read_bytes())
    raw[-1] ^= 1
    victim.write_bytes(raw)
    sums = parse_sums((SAMPLE / "weights" / "SHA256SUMS").read_bytes())
    report = check_weights(directory=shards, sums=sums, upstream=None)
    assert report.exit_code == 1
    assert victim.name in report.as_text()
