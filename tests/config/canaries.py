"""What a version withholds, in every spelling that a leak could have."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pypdf

from catalog.models import PackageVersion

RECORD = "canary-of-the-record-compiled-with-9f31c07be2"
COMMAND = "canary-of-the-command-serves-with-58ad04e7c9"
FILES = {
    "withheld/canary-path-7d21-record.md": f"# Build record\n{RECORD}\n",
    "withheld/canary-path-7d21-command.sh": f"#!/bin/sh\n{COMMAND}\n",
}
PATH = b"canary-path-7d21"


def plant(folder: Path) -> None:
    """Let a package withhold canaries in place of what the sample withholds."""
    source = folder / "package.yaml"
    text = source.read_text()
    for old, (new, content) in zip(
        ("withheld/runtime-build-record.md", "withheld/serve-command.sh"),
        FILES.items(),
        strict=True,
    ):
        (folder / old).unlink()
        (folder / new).write_text(content)
        text = text.replace(old, new)
    source.write_text(text)


def canaries(version: PackageVersion) -> dict[str, set[bytes]]:
    """For each thing that is withheld, the byte strings of which none may be found."""
    plain = {"record": {RECORD.encode()}, "command": {COMMAND.encode()}, "paths": {PATH}}
    for each in version.withheld.all():
        salt, digest = bytes(each.salt), hashlib.sha256(bytes(each.content))
        plain[f"salt of {each.name}"] = {salt, *_hex(salt)}
        # Without its salt a digest confirms a guess.
        plain[f"digest of {each.name}"] = {digest.digest(), *_hex(digest.digest())}
    return {
        name: found | {code for each in found for code in _base64(each)}
        for name, found in plain.items()
    }


def _hex(value: bytes) -> set[bytes]:
    return {value.hex().encode(), value.hex().upper().encode()}


def _base64(value: bytes) -> Iterator[bytes]:
    # Inside a longer text a value begins at any of three places of a group; its ends are mixed
    # with their neighbours.
    for lead in range(3):
        code = base64.b64encode(bytes(lead) + value)[4 if lead else 0 : -4]
        yield code
        yield code.translate(bytes.maketrans(b"+/", b"-_"))


def leaks(content: bytes, wanted: dict[str, set[bytes]]) -> list[str]:
    """The names of what is found in some bytes, or in what is packed in them."""
    texts = list(unpacked(content))
    return [
        name
        for name, codes in wanted.items()
        if any(code in text for code in codes for text in texts)
    ]


def unpacked(content: bytes) -> Iterator[bytes]:
    """The bytes, and what a reader of a sheet, a tarball or an envelope would see in them."""
    yield content
    if content.startswith(b"%PDF"):
        yield from _sheet(content)
    elif content.startswith(b"\x1f\x8b"):
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            for member in tar:
                file = tar.extractfile(member)
                yield member.name.encode() + b"\n" + (file.read() if file else b"")
    for code in re.findall(rb"[A-Za-z0-9+/]{64,}={0,2}", content):
        # An envelope's payload, and whatever else somebody packed.
        bare = code.rstrip(b"=")
        yield base64.b64decode(bare[: len(bare) // 4 * 4])


def _sheet(content: bytes) -> Iterator[bytes]:
    reader = pypdf.PdfReader(io.BytesIO(content))
    pages = "".join(page.extract_text() for page in reader.pages)
    yield "".join(pages.split()).encode()
    yield str(reader.metadata).encode()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        try:
            yield zlib.decompressobj().decompress(stream)
        except zlib.error:
            yield stream
