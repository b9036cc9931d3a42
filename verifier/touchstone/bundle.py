"""An evidence bundle read from its archive in bounded memory, without unpacking it to disk."""

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path

from touchstone.archive import read_members
from touchstone.errors import TouchstoneError
from touchstone.inflating import Unpacked
from touchstone.names import NameRegister

MAX_UNPACKED = 64 << 20  # all of it is held in memory
MAX_MEMBERS = 2_000
LICENCE = "licence-receipt"
NEWER_TERMS = "newer-terms"

_ROOT = re.compile(r"evidence-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_VERSION = re.compile(r"versions/([0-9][A-Za-z0-9.+-]*)/(?:benchmark|buyer)-receipt\.json")
_NEWER = re.compile(rf"({NEWER_TERMS}/[a-z0-9][a-z0-9.-]*/){LICENCE}\.json")


class BundleError(TouchstoneError):
    """The archive is not a well-formed evidence bundle; the message names the member."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bundle by their names, and the purchase that its folder is named after."""

    purchase: str
    files: dict[str, bytes]

    @property
    def versions(self) -> list[str]:
        """The versions that it holds a receipt of."""
        found = (_VERSION.fullmatch(name) for name in self.files)
        return sorted({match[1] for match in found if match})

    @property
    def newer_terms(self) -> list[str]:
        """The folders of licences under newer terms, each with the slash at its end."""
        found = (_NEWER.fullmatch(name) for name in self.files)
        return sorted(match[1] for match in found if match)

    @property
    def receipts(self) -> list[str]:
        """The names of all receipts, without an ending."""
        kinds = ("benchmark-receipt", "buyer-receipt")
        of_versions = [f"versions/{v}/{kind}" for v in self.versions for kind in kinds]
        return [LICENCE, *(f"{at}{LICENCE}" for at in self.newer_terms), *of_versions]


def read_bundle(path: Path) -> Bundle:
    """Read the archive of a bundle. Raises TouchstoneError and OSError."""
    # Opening a pipe would wait for a writer that may never come.
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(EINVAL, "not a regular file", str(path))
    with path.open("rb", buffering=0) as file:
        members = dict(_read(Unpacked(file, limit=MAX_UNPACKED)))
    roots = {name.partition("/")[0] for name in members}
    root = _ROOT.fullmatch(min(roots, default=""))
    if root is None or len(roots) != 1:
        raise BundleError("its one folder must be named evidence-<the purchase's id>")
    if root[0] in members:
        raise BundleError(f"{root[0]} is a file, not a folder")
    files = {name.partition("/")[2]: content for name, content in members.items()}
    return Bundle(purchase=root[1], files=files)


def _read(stream: Unpacked) -> Iterator[tuple[str, bytes]]:
    names = NameRegister()
    for member, content in read_members(stream):
        names.add(member.name, is_folder=member.is_folder)
        if len(names) > MAX_MEMBERS:
            raise BundleError(f"holds more than {MAX_MEMBERS} files and folders")
        if not member.is_folder:
            yield member.name, b"".join(content)
