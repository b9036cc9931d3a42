"""Tarballs made to mislead, each under a receipt that the seller signed for those very bytes."""

import gzip
import tarfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from touchstone.kit import read_kit

from tests.hostile import Attacker
from tests.verifier.attacking import faults, faults_of_kit, often, verify
from tests.verifier.headers import (
    END,
    FILES,
    GOOD,
    LAST,
    RECORD,
    changed,
    extended,
    files_by_tarfile,
    one,
    packed,
    pax,
    raw_of,
    with_field,
    with_kind,
)
from tests.verifier.kits import KIT, ROOT, file_member, kit_files, receipt_for


def trailing(extra: bytes) -> bytes:
    return packed(FILES, end=END + extra)


DAMAGED = {
    "empty": b"",
    "empty gzip": gzip.compress(b""),
    "no gzip": GOOD,
    "only an end": packed(),
    "gzip twice": gzip.compress(KIT),
    "two gzip members": gzip.compress(GOOD[:LAST]) + gzip.compress(END),
    "an empty gzip member after it": KIT + gzip.compress(b""),
    "zeros after it": KIT + bytes(512),
    "a byte after it": KIT + b"\n",
    "zlib instead": zlib.compress(GOOD),
    "a zip": b"PK\3\4" + KIT,
    "another gzip checksum": KIT[:-8] + bytes(4) + KIT[-4:],
    "another gzip length": KIT[:-4] + bytes(4),
    "no end": gzip.compress(FILES),
    "half an end": gzip.compress(FILES + bytes(RECORD)),
    "half an end and a file": packed(FILES, bytes(RECORD), one()),
    "a file after the end": trailing(one()),
    "text after the end": trailing(b"text"),
    "a name of pax": packed(FILES, extended(b"x", pax(path=f"{ROOT}/b")), one()),
    "a name of pax that leads out": packed(FILES, extended(b"x", pax(path="/etc/b")), one()),
    "a size of pax": packed(FILES, extended(b"x", pax(size="0")), one()),
    "a global header of pax": packed(extended(b"g", pax(comment="x")), FILES),
    "a link of pax": packed(FILES, extended(b"x", pax(linkpath="/etc/passwd")), one()),
    "a header of pax of gigabytes": packed(
        FILES, changed(with_field(156, b"x")[:RECORD], 124, b"77777777777\0")
    ),
    "pax of Solaris": packed(FILES, extended(b"X", pax(path=f"{ROOT}/b")), one()),
    "a GNU long name": packed(FILES, extended(b"L", f"{ROOT}/{'n' * 300}\0".encode()), one()),
    "a GNU long link": packed(FILES, extended(b"K", b"/etc/passwd\0"), one()),
    "GNU's own format": packed(raw_of([file_member(f"{ROOT}/a", b"a")], tarfile.GNU_FORMAT)),
    "a sparse file": packed(FILES, with_field(156, b"S")),
    "a sparse file of pax": packed(
        FILES, extended(b"x", pax(**{"GNU.sparse.major": "1", "GNU.sparse.size": "9"})), one()
    ),
    "the same file twice": packed(FILES, FILES),
    "the same file twice, other bytes": packed(FILES, one("README.md", b"Other.\n")),
    "a volume label": with_kind(b"V"),
    "a multi-volume rest": with_kind(b"M"),
    "a dump of a folder": with_kind(b"D"),
    "a contiguous file": with_kind(b"7"),
    "an unknown kind": with_kind(b"?"),
    "a kind that is no ASCII": with_kind(b"\xff"),
    "a wrong checksum": packed(FILES, one()[:148] + b"000000\0 " + one()[156:]),
    "a signed checksum": packed(FILES, one()[:148] + b"-00001\0 " + one()[156:]),
    "a header that is damaged": packed(FILES, b"x" + one()[1:]),
    "a negative size": packed(FILES, with_field(124, b"-0000000001\0")),
    "a size in base 256": packed(FILES, with_field(124, b"\x80" + bytes(10) + b"\1")),
    "a negative size in base 256": packed(FILES, with_field(124, b"\xff" * 12)),
    "a size without digits": packed(FILES, with_field(124, b" " * 12)),
    "a size with other digits": packed(FILES, with_field(124, b"00000000008\0")),
    "a size beyond the end": packed(FILES, with_field(124, b"00000400001\0")),
    "the greatest size": packed(FILES, with_field(124, b"777777777777")),
    "a size too small": packed(FILES, with_field(124, b"00000000000\0")),
    "a folder with bytes": packed(FILES, with_field(156, b"5")),
    "set-uid": packed(FILES, with_field(100, b"0004755\0")),
    "sticky": packed(FILES, with_field(100, b"0001777\0")),
    "another magic": packed(FILES, with_field(257, b"ustar  \0")),
    "no magic": packed(FILES, with_field(257, bytes(8))),
    "no UTF-8": packed(FILES, with_field(len(ROOT) + 1, b"\xff")),
    "half a surrogate": packed(FILES, with_field(len(ROOT) + 1, b"\xed\xa0\x80")),
    "a prefix that leads out": packed(FILES, with_field(345, b"..")),
    "a prefix that is absolute": packed(FILES, with_field(345, b"/etc")),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_or_misleading_tarball_does_not_hold(attack: Attacker, name: str) -> None:
    [fault] = faults_of_kit(attack, DAMAGED[name])
    assert len(fault) < 400


@often
@given(keep=st.integers(0, LAST + 2 * RECORD - 1))
def test_an_archive_cut_anywhere_and_packed_again_does_not_hold(
    attack: Attacker, keep: int
) -> None:
    assert len(faults_of_kit(attack, gzip.compress(GOOD[:keep]))) == 1


@often
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(FILES) // RECORD - 1),
            st.integers(0, RECORD - 1),
            st.binary(min_size=1, max_size=16),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_read_is_what_another_reader_reads(
    attack: Attacker, tmp_path: Path, edits: list[tuple[int, int, bytes]]
) -> None:
    records = [FILES[at : at + RECORD] for at in range(0, len(FILES), RECORD)]
    for record, at, value in edits:
        edited = (records[record][:at] + value + records[record][at + len(value) :])[:RECORD]
        is_header = records[record][257:262] == b"ustar"
        records[record] = changed(edited, 0, b"") if is_header else edited
    tarball = packed(*records)
    verify(attack, kit=tarball)
    found = read_kit(tmp_path / "hostile" / "kit").contents
    if found is not None:
        read = files_by_tarfile(tarball)
        assert {f"{found.root}/{name}": file.size for name, file in found.files.items()} == {
            name: len(content) for name, content in read.items()
        }
        assert found.lists == {name: read[f"{found.root}/{name}"] for name in found.lists}


def test_the_kit_that_these_are_made_from_holds(attack: Attacker) -> None:
    tarball = packed(FILES)
    assert faults(attack, kit=tarball, receipt=receipt_for(tarball)) == []
    assert files_by_tarfile(tarball) == {
        f"{ROOT}/{name}": content for name, content in kit_files().items()
    }
