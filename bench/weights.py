"""Checking weights, beside sha256sum -c over the same files."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from touchstone.checksums import format_sums

from bench.pair import Pair

FILES, SIZE = 96, 4 << 20


def weights_pair(scratch: Path) -> Pair:
    """Check 96 files of 4 MiB against their list, both as commands."""
    folder, sums = scratch / "weights", {}
    folder.mkdir()
    for number in range(FILES):
        content = os.urandom(SIZE)
        name = f"shard-{number:03}"
        (folder / name).write_bytes(content)
        sums[name] = hashlib.sha256(content).hexdigest()
    listed = scratch / "SHA256SUMS"
    listed.write_bytes(format_sums(sums))

    def ours() -> None:
        command = [sys.executable, "-m", "touchstone", "weights", str(folder)]
        subprocess.run([*command, "--sums", str(listed)], check=True, capture_output=True)  # noqa: S603 -- our own command

    rival_program = shutil.which("sha256sum") or "sha256sum"

    def rival() -> None:
        command = [rival_program, "-c", "--quiet", str(listed)]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)  # noqa: S603 -- coreutils

    return Pair(
        name=f"weights of {FILES * SIZE >> 20} MiB in {FILES} files",
        ours=ours,
        rival_name="sha256sum -c",
        rival=rival,
        amount=FILES * SIZE / 1e9,
        unit="GB/s",
    )
