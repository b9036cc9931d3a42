"""Archives put together record by record, with whatever an honest packer would not write."""

import gzip
import io
import tarfile
from collections.abc import Iterable
from typing import Literal

from tests.verifier.kits import KIT, ROOT, file_member, special_member

RECORD = 512
END = bytes(2 * RECORD)
GOOD = gzip.decompress(KIT)
LAST = len(GOOD.rstrip(b"\0")) // RECORD * RECORD + RECORD  # where the end begins
FILES = GOOD[:LAST]


def raw_of(
    members: Iterable[tuple[tarfile.TarInfo, bytes]], form: Literal[0, 1, 2] = tarfile.USTAR_FORMAT
) -> bytes:
    """The records of these members in one of tarfile's formats, without an end."""
    found = b""
    for member, data in members:
        found += member.tobuf(form, "utf-8", "surrogateescape")
        found += data + bytes(-len(data) % RECORD)
    return found


def sealed(header: bytes) -> bytes:
    """A header of 512 bytes with the checksum that fits it."""
    blank = header[:148] + b" " * 8 + header[156:]
    return blank[:148] + b"%06o\0 " % sum(blank) + blank[156:]


def changed(header: bytes, at: int, value: bytes) -> bytes:
    return sealed(header[:at] + value + header[at + len(value) :])


def packed(*records: bytes, end: bytes = END) -> bytes:
    return gzip.compress(b"".join(records) + end, mtime=0, compresslevel=1)


def one(name: str = "a", data: bytes = b"a") -> bytes:
    """A file below the root, as records."""
    return raw_of([file_member(f"{ROOT}/{name}", data)])


def with_field(at: int, value: bytes, name: str = "a") -> bytes:
    """The same with other bytes in its header, which are sealed."""
    records = one(name)
    return changed(records[:RECORD], at, value) + records[RECORD:]


def with_kind(kind: bytes, target: str = "") -> bytes:
    """A kit that also holds a member of this kind, as tarball."""
    return packed(FILES, raw_of([special_member(f"{ROOT}/a", kind, target)]))


def extended(kind: bytes, body: bytes) -> bytes:
    """An extended header of pax or GNU, with its body."""
    member = tarfile.TarInfo("././@LongLink")
    member.type = kind
    member.size = len(body)
    return raw_of([(member, body)])


def pax(**fields: str) -> bytes:
    lines = b""
    for name, value in fields.items():
        rest = f" {name}={value}\n".encode()
        size = len(rest) + len(str(len(rest) + len(str(len(rest)))))
        lines += str(size).encode() + rest
    return lines


def files_by_tarfile(tarball: bytes) -> dict[str, bytes]:
    """What the standard library finds in it: the second reader to compare with."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(tarball)) as archive:
        for member in archive:
            assert member.isfile() or member.isdir(), member
            if member.isfile() and (content := archive.extractfile(member)):
                assert member.name not in found
                found[member.name] = content.read()
    return found
