"""A strict reader of POSIX ustar archives: regular files and folders, in order, nothing else.

The standard library's reader takes a damaged header for the end of the archive, and holds an
extended header of any size in memory; a cut kit must not pass and a hostile one must not swell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from touchstone.errors import TouchstoneError
from touchstone.inflating import BLOCK, Unpacked
from touchstone.names import check_name

_RECORD = 512
_ZEROS = bytes(_RECORD)
_OCTAL = re.compile(rb" *([0-7]+)[ \0]*")
# Other readers take a header for damaged by any of these, and would end the archive there.
_NUMBERS = {"uid": (108, 116), "gid": (116, 124), "mtime": (136, 148)}
_DEVICE_NUMBERS = slice(329, 345)
_KINDS_REFUSED = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
    b"x": "an extended header",
    b"g": "an extended header",
    b"L": "a GNU long name",
    b"K": "a GNU long link",
}


class ArchiveError(TouchstoneError):
    """The archive is damaged or holds what a kit may not hold; the message names the member."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file with its size in bytes, or a folder."""

    name: str
    size: int
    is_folder: bool


def read_members(stream: Unpacked) -> Iterator[tuple[Member, Iterator[bytes]]]:
    """Yield each member with its bytes, which are read past if the caller does not take them.

    Raises ArchiveError or InflateError.
    """
    while (header := stream.take(_RECORD)) != _ZEROS:
        member = _parse_header(header)
        content = stream.pieces(member.size)
        yield member, content
        for _unread in content:
            pass
        stream.take(-member.size % _RECORD)
    _expect_only_zeros(stream)


def _expect_only_zeros(stream: Unpacked) -> None:
    if stream.take(_RECORD) != _ZEROS:
        raise ArchiveError("the archive does not end with two records of zeros")
    while block := stream.take(BLOCK):
        if block.strip(b"\0"):
            raise ArchiveError("the archive has bytes after its end")


def _parse_header(header: bytes) -> Member:
    if len(header) < _RECORD:
        raise ArchiveError("the archive is cut short: it has no end mark")
    if header[257:265] != b"ustar\x0000":
        raise ArchiveError("a header is damaged or not in POSIX ustar format")
    unsigned = sum(header[:148]) + 8 * ord(" ") + sum(header[156:])
    if _octal(header[148:156], "checksum") != unsigned:
        raise ArchiveError("a header does not match its checksum")
    name, is_folder = _parse_name(header), header[156:157] == b"5"
    if header[156:157] not in {b"0", b"\0", b"5"}:
        kind = _KINDS_REFUSED.get(header[156:157], f"of the unknown kind {header[156:157]!r}")
        raise ArchiveError(f"{name!r} is {kind}; only regular files and folders are accepted")
    for what, (begin, end) in _NUMBERS.items():
        _octal(header[begin:end], what)
    if header[_DEVICE_NUMBERS].strip(b"0\0"):
        raise ArchiveError(f"{name!r} has a device's numbers")
    if _octal(header[100:108], "mode") & ~0o777:
        raise ArchiveError(f"{name!r} has special mode bits")
    member = Member(_checked(name, is_folder), _octal(header[124:136], "size"), is_folder)
    if is_folder and member.size:
        raise ArchiveError(f"{name!r} is a folder with a size")
    return member


def _parse_name(header: bytes) -> str:
    parts = (header[345:500], header[:100])
    try:
        name, prefix = (part.split(b"\0")[0].decode("utf-8") for part in reversed(parts))
    except UnicodeDecodeError as error:
        raise ArchiveError("a name is not UTF-8") from error
    return f"{prefix}/{name}" if prefix else name


def _checked(name: str, is_folder: bool) -> str:
    plain = name.removesuffix("/") if is_folder else name
    try:
        check_name(plain)
    except ValueError as error:
        raise ArchiveError(str(error)) from error
    return plain


def _octal(field: bytes, what: str) -> int:
    match = _OCTAL.fullmatch(field)
    if match is None:
        raise ArchiveError(f"a header's {what} is not an octal number")
    return int(match[1], 8)
