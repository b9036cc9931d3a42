"""The same package gives the same kit, byte for byte, wherever and whenever it is built."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.kits import build, names
from tests.shop import SAMPLE


@pytest.fixture
def other_copy(tmp_path: Path) -> Path:
    """The sample once more, written in another order, at other times, with other rights."""
    target = tmp_path / "copy"
    before = os.umask(0o077)
    try:
        for path in sorted(SAMPLE.rglob("*"), reverse=True):
            if path.is_file():
                copy = target / path.relative_to(SAMPLE)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                copy.chmod(0o700)
                os.utime(copy, (1, 1))
    finally:
        os.umask(before)
    return target


def test_two_copies_give_the_same_bytes(
    package_folder: Path, other_copy: Path, tmp_path: Path
) -> None:
    first = build(package_folder, tmp_path / "first")
    second = build(other_copy, tmp_path / "second")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.sha256 == second.sha256
    assert first.files == second.files


def test_gzip_says_neither_when_nor_where_it_was_packed(
    package_folder: Path, tmp_path: Path
) -> None:
    head = build(package_folder, tmp_path / "out").path.read_bytes()[:10]
    assert head[3] == 0, "no name, no comment"
    assert head[4:8] == bytes(4), "no time"


def test_members_are_sorted_and_owned_by_nobody(package_folder: Path, tmp_path: Path) -> None:
    kit = build(package_folder, tmp_path / "out")
    with tarfile.open(kit.path) as archive:
        members = archive.getmembers()
    assert [m.name for m in members] == sorted(m.name for m in members)
    assert {(m.uid, m.gid, m.uname, m.gname, m.mode, m.mtime) for m in members} == {
        (0, 0, "", "", 0o644, 1785369600)
    }
    assert all(m.isreg() and m.name.startswith("kimi-k3-8xb300-1.0.0/") for m in members)


def test_a_kit_holds_what_the_buyer_needs_and_nothing_else(
    package_folder: Path, tmp_path: Path
) -> None:
    found = names(build(package_folder, tmp_path / "out"))
    verifier = {name for name in found if name.startswith("verifier/")}
    assert found - verifier == {
        "README.md",
        "PREREQUISITES.md",
        "LIMITS.md",
        "SHA256SUMS",
        "deploy/batch/README.md",
        "deploy/batch/compose.yaml",
        "deploy/interactive/README.md",
        "deploy/interactive/compose.yaml",
        "weights/SHA256SUMS",
        "weights/upstream.json",
    }
    assert {"verifier/pyproject.toml", "verifier/touchstone/cli.py"} <= verifier
    assert all(name.endswith((".py", ".md", ".toml", "/py.typed")) for name in verifier)


def test_caches_of_the_verifiers_checkout_stay_out(
    package_folder: Path, tmp_path: Path, settings: Any
) -> None:
    checkout = shutil.copytree(settings.VERIFIER_SOURCE, tmp_path / "verifier")
    for name in ("touchstone/__pycache__/cli.pyc", "touchstone.egg-info/PKG-INFO", ".env"):
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("left over\n")
    settings.VERIFIER_SOURCE = checkout
    found = names(build(package_folder, tmp_path / "out"))
    assert not [name for name in found if "pyc" in name or "egg-info" in name or ".env" in name]


def test_sha256sum_of_the_system_agrees_with_the_kits_own_list(
    package_folder: Path, tmp_path: Path
) -> None:
    kit = build(package_folder, tmp_path / "out")
    with tarfile.open(kit.path) as archive:
        archive.extractall(tmp_path, filter="data")
    root = tmp_path / "kimi-k3-8xb300-1.0.0"
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=root, check=False
    )
    assert done.returncode == 0


def test_what_the_build_reports_is_what_lies_on_disk(package_folder: Path, tmp_path: Path) -> None:
    kit = build(package_folder, tmp_path / "out")
    packed = kit.path.read_bytes()
    assert (kit.name, kit.size) == ("kimi-k3-8xb300-1.0.0.tar.gz", len(packed))
    assert sum(file.size for file in kit.files) < len(gzip.decompress(packed))
    assert {file.name for file in kit.files} == names(kit)


def test_a_folder_may_be_reached_through_a_link(package_folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "current"
    link.symlink_to(package_folder)
    straight = build(package_folder, tmp_path / "first")
    assert build(link, tmp_path / "second").sha256 == straight.sha256
