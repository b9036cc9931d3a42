"""Lists in the format of `sha256sum -c`, and the hashing of files for them."""

import hashlib
import re
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from touchstone.errors import TouchstoneError
from touchstone.names import check_name

MAX_BYTES = 4 << 20
BLOCK = 128 << 10  # the fastest plain read measured

# sha256sum marks a file read in binary mode by an asterisk before its name.
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


class SumsError(TouchstoneError):
    """The list is malformed; the message names the line."""


def parse_sums(raw: bytes) -> dict[str, str]:
    """Read a list as name -> SHA-256 in lower-case hex. Raises SumsError.

    Refuses an empty list, names that are absolute, climb, repeat, or need sha256sum's escapes.
    """
    if len(raw) > MAX_BYTES:
        raise SumsError(f"longer than {MAX_BYTES} bytes")
    try:
        lines = raw.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise SumsError(f"not UTF-8 at byte {error.start}") from error
    sums: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name, sha256 = _parse_line(line, number)
        if name in sums:
            raise SumsError(f"line {number}: {name!r} is listed twice")
        sums[name] = sha256
    return sums


def format_sums(sums: Mapping[str, str]) -> bytes:
    """Write a list, sorted by name. Raises SumsError for whatever `parse_sums` refuses."""
    raw = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode("utf-8")
    parse_sums(raw)
    return raw


def sha256_file(
    path: str | PathLike[str], *, on_bytes: Callable[[int], None] = lambda _read: None
) -> str:
    """Hash a file; `on_bytes` hears the size of each block. Raises OSError."""
    digest = hashlib.sha256()
    block = memoryview(bytearray(BLOCK))
    with Path(path).open("rb", buffering=0) as file:
        while read := file.readinto(block):
            digest.update(block[:read])
            on_bytes(read)
    return digest.hexdigest()


def _parse_line(line: str, number: int) -> tuple[str, str]:
    if line.startswith("\\"):
        raise SumsError(f"line {number}: names with a backslash or a line end are not accepted")
    match = _LINE.fullmatch(line)
    if match is None:
        raise SumsError(f"line {number}: must be 64 lower-case hex digits, two spaces and a name")
    try:
        check_name(match[2])
    except ValueError as error:
        raise SumsError(f"line {number}: {error}") from error
    return match[2], match[1]
