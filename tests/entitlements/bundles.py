"""Evidence bundles taken apart and put together again, with what a test changed."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from catalog.kits.tarball import write_tarball

Files = dict[str, bytes]


def unpack(raw: bytes) -> tuple[str, Files]:
    """The folder's name and the files in it, as the standard library reads them."""
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        members = {}
        for member in archive.getmembers():
            content = archive.extractfile(member)
            assert content is not None
            members[member.name] = content.read()
    [root] = {name.partition("/")[0] for name in members}
    return root, {name.partition("/")[2]: content for name, content in members.items()}


def repack(
    path: Path,
    raw: bytes,
    change: Callable[[Files], object],
    *,
    root: str = "",
    sums: bool = True,
) -> Path:
    """The bundle with a change, and with sums that fit it unless `sums` is false."""
    name, files = unpack(raw)
    change(files)
    if sums:
        del files["SHA256SUMS"]
        lines = [f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files)]
        files["SHA256SUMS"] = "".join(lines).encode()
    write_tarball(path, root=root or name, files=files, day=date(2026, 1, 1))
    return path


def edit(name: str, change: Callable[[Any], object]) -> Callable[[Files], None]:
    """Change a JSON document of a bundle."""

    def apply(files: Files) -> None:
        document = json.loads(files[name])
        change(document)
        files[name] = json.dumps(document).encode()

    return apply


def put(name: str, content: bytes) -> Callable[[Files], None]:
    return lambda files: files.update({name: content})


def move(source: str, target: str) -> Callable[[Files], None]:
    """Put all parts of one receipt in the place of another."""

    def apply(files: Files) -> None:
        for ending in ("json", "payload", "sig", "pem"):
            files[f"{target}.{ending}"] = files[f"{source}.{ending}"]

    return apply
