"""A kit read from its tarball in one pass, without unpacking anything to disk."""

import hashlib
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from errno import EINVAL
from io import FileIO
from pathlib import Path

from touchstone.archive import Member, read_members
from touchstone.errors import TouchstoneError
from touchstone.inflating import BLOCK, Unpacked
from touchstone.names import NameRegister

SUMS = "SHA256SUMS"
WEIGHT_SUMS = "weights/SHA256SUMS"
UPSTREAM = "weights/upstream.json"
MAX_UNPACKED = 256 << 20
MAX_MEMBERS = 10_000
MAX_LIST = 4 << 20

_ROOT = re.compile(r"[a-z0-9][a-z0-9-]*-[0-9][A-Za-z0-9.+-]*")


class KitError(TouchstoneError):
    """The tarball is not a well-formed kit; the message names the member."""


@dataclass(frozen=True, slots=True)
class KitFile:
    """What one file of a kit is, by its bytes."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Contents:
    """The files below the root folder, and the bytes of the kit's three lists where present."""

    root: str
    files: dict[str, KitFile]
    lists: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Kit:
    """A tarball's own identity, and its contents or the reason why they cannot be read."""

    size: int
    sha256: str
    contents: Contents | None
    fault: str = ""


def read_kit(path: Path) -> Kit:
    """Measure a tarball and read its contents from the same bytes.

    Memory stays bounded whatever the tarball unpacks to. Raises OSError.
    """
    # Opening a pipe would wait for a writer that may never come.
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(EINVAL, "not a regular file", str(path))
    with path.open("rb", buffering=0) as file:
        source = _Measured(file)
        contents, fault = None, ""
        try:
            contents = _read_contents(Unpacked(source, limit=MAX_UNPACKED))
        except TouchstoneError as error:
            fault = str(error)
        while source.read(BLOCK):
            pass
    return Kit(size=source.size, sha256=source.digest.hexdigest(), contents=contents, fault=fault)


class _Measured:
    """Passes a file's bytes on, counting and hashing each as it goes by."""

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self.size = 0
        self.digest = hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        data = self._file.read(size)
        self.size += len(data)
        self.digest.update(data)
        return data


def _read_contents(stream: Unpacked) -> Contents:
    names = NameRegister()
    root = ""
    files: dict[str, KitFile] = {}
    lists: dict[str, bytes] = {}
    for member, content in read_members(stream):
        names.add(member.name, is_folder=member.is_folder)
        if len(names) > MAX_MEMBERS:
            raise KitError(f"holds more than {MAX_MEMBERS} files and folders")
        root = root or _root_of(member)
        name = _below(root, member)
        if not member.is_folder:
            files[name] = _read_file(name, member, content, lists)
    if not files:
        raise KitError("holds no file")
    return Contents(root=root, files=files, lists=lists)


def _root_of(member: Member) -> str:
    root = member.name.split("/")[0]
    if not _ROOT.fullmatch(root):
        raise KitError(f"the root folder {root!r} is not named <slug>-<version>")
    return root


def _below(root: str, member: Member) -> str:
    if member.is_folder and member.name == root:
        return ""
    if not member.name.startswith(f"{root}/"):
        raise KitError(f"{member.name!r} lies outside the root folder {root}/")
    return member.name.removeprefix(f"{root}/")


def _read_file(
    name: str, member: Member, content: Iterator[bytes], lists: dict[str, bytes]
) -> KitFile:
    keep = name in {SUMS, WEIGHT_SUMS, UPSTREAM}
    if keep and member.size > MAX_LIST:
        raise KitError(f"{name} is longer than {MAX_LIST} bytes")
    digest = hashlib.sha256()
    kept = bytearray()
    for piece in content:
        digest.update(piece)
        if keep:
            kept += piece
    if keep:
        lists[name] = bytes(kept)
    return KitFile(size=member.size, sha256=digest.hexdigest())
