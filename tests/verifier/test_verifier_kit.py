"""Tarballs: what a kit may hold, and how a hostile one ends."""

import gzip
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from touchstone import kit as kit_module
from touchstone.kit import Kit, read_kit

from tests.verifier.kits import (
    KIT,
    ROOT,
    by_words,
    file_member,
    kit_files,
    pack,
    pack_members,
    sha256,
    special_member,
)

ONE = file_member(f"{ROOT}/a", b"a")


def read(folder: Path, tarball: bytes) -> Kit:
    path = folder / "kit.tar.gz"
    path.write_bytes(tarball)
    return read_kit(path)


def folder_member(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return special_member(name, tarfile.DIRTYPE)


def edited(offset: int, value: bytes) -> bytes:
    """A kit of one file whose first header has other bytes at `offset`."""
    raw = bytearray(gzip.decompress(pack_members([ONE])))
    raw[offset : offset + len(value)] = value
    return gzip.compress(bytes(raw))


def resealed(offset: int, value: bytes) -> bytes:
    """The same, with the header's checksum made to fit."""
    raw = bytearray(gzip.decompress(edited(offset, value)))
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return gzip.compress(bytes(raw))


def test_a_kit_is_measured_and_every_file_is_hashed(tmp_path: Path) -> None:
    found = read(tmp_path, KIT)
    assert (found.size, found.sha256, found.fault) == (len(KIT), sha256(KIT), "")
    assert found.contents is not None
    hashes = {name: file.sha256 for name, file in found.contents.files.items()}
    assert hashes == {name: sha256(data) for name, data in kit_files().items()}


def test_the_three_lists_are_kept_and_nothing_else(tmp_path: Path) -> None:
    contents = read(tmp_path, KIT).contents
    assert contents is not None
    kept = ("SHA256SUMS", "weights/SHA256SUMS", "weights/upstream.json")
    assert contents.lists == {name: kit_files()[name] for name in kept}


def test_folders_may_be_listed_before_their_files(tmp_path: Path) -> None:
    members = [folder_member(ROOT), folder_member(f"{ROOT}/sub"), file_member(f"{ROOT}/sub/a", b"")]
    contents = read(tmp_path, pack_members(members)).contents
    assert contents is not None
    assert (contents.root, list(contents.files)) == (ROOT, ["sub/a"])


def test_a_name_too_long_for_one_field_is_put_together(tmp_path: Path) -> None:
    name = "/".join(["folder-" + "n" * 40] * 3)
    contents = read(tmp_path, pack({name: b"x"})).contents
    assert contents is not None
    assert list(contents.files) == [name]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ([special_member(f"{ROOT}/a", tarfile.SYMTYPE, "/etc/passwd")], "is a symbolic link"),
        ([ONE, special_member(f"{ROOT}/b", tarfile.LNKTYPE, f"{ROOT}/a")], "is a hard link"),
        ([special_member(f"{ROOT}/a", tarfile.CHRTYPE)], "is a device"),
        ([special_member(f"{ROOT}/a", tarfile.BLKTYPE)], "is a device"),
        ([special_member(f"{ROOT}/a", tarfile.FIFOTYPE)], "is a pipe"),
        ([special_member(f"{ROOT}/a", b"x")], "is an extended header"),
        ([special_member(f"{ROOT}/a", b"L")], "is a GNU long name"),
        ([special_member(f"{ROOT}/a", b"?")], "unknown kind"),
        ([file_member("/etc/passwd", b"")], "is absolute"),
        ([file_member(f"{ROOT}/../a", b"")], "'..'"),
        ([file_member(f"{ROOT}/./a", b"")], "'..'"),
        ([file_member(f"{ROOT}/a\\b", b"")], "backslash"),
        ([file_member(f"{ROOT}/\x1b[2Ja", b"")], "cannot be printed"),
        ([file_member("a", b"")], "not named <slug>-<version>"),
        ([file_member("a/b", b"")], "not named <slug>-<version>"),
        ([file_member(ROOT, b"")], "outside the root folder"),
        ([ONE, file_member("other-1.0/a", b"")], "outside the root folder"),
        ([ONE, ONE], "appears twice"),
        ([ONE, file_member(f"{ROOT}/A", b"")], "one name where case is folded"),
        ([ONE, file_member(f"{ROOT}/sub/a", b""), file_member(f"{ROOT}/Sub/b", b"")], "one name"),
        (
            [file_member(f"{ROOT}/\u00e9", b""), file_member(f"{ROOT}/e\u0301", b"")],
            "one name where case is folded",
        ),
        ([ONE, file_member(f"{ROOT}/a/b", b"")], "both a file and a folder"),
        ([folder_member(ROOT)], "holds no file"),
        ([], "holds no file"),
    ],
    ids=by_words,
)
def test_what_a_kit_may_not_hold_is_named(
    tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]], reason: str
) -> None:
    found = read(tmp_path, pack_members(members))
    assert found.contents is None
    assert reason in found.fault


@pytest.mark.parametrize(
    ("tarball", "reason"),
    [
        (b"", "cut short"),
        (b"not gzip at all", "not intact gzip"),
        (gzip.compress(b""), "no end mark"),
        (gzip.compress(b"x" * 512), "not in POSIX ustar format"),
        (gzip.compress(bytes(512)), "two records of zeros"),
        (gzip.compress(gzip.decompress(KIT) + b"x"), "bytes after its end"),
        (gzip.compress(gzip.decompress(KIT)[:515]), "middle of a file"),
        (KIT + b"x", "bytes after the end of the gzip stream"),
        (KIT + KIT, "bytes after the end of the gzip stream"),
        (edited(0, b"other"), "does not match its checksum"),
        (edited(148, b"zzzzzz"), "checksum is not an octal number"),
        (resealed(124, b"\x80" + b"\0" * 10 + b"\1"), "size is not an octal number"),
        (resealed(124, b"77777777777\0"), "middle of a file"),
        (resealed(100, b"0004755\0"), "special mode bits"),
        (resealed(108, b"nobody"), "uid is not an octal number"),
        (resealed(116, b"\x80"), "gid is not an octal number"),
        (resealed(136, b"\1"), "mtime is not an octal number"),
        (resealed(329, b"0000010\0"), "has a device's numbers"),
        (resealed(0, b"\xff"), "not UTF-8"),
        (resealed(156, b"5"), "is a folder with a size"),
    ],
    ids=by_words,
)
def test_a_damaged_tarball_says_how(tmp_path: Path, tarball: bytes, reason: str) -> None:
    found = read(tmp_path, tarball)
    assert reason in found.fault
    assert found.sha256 == sha256(tarball)


@pytest.mark.parametrize("keep", [1, 20, len(KIT) // 2, len(KIT) - 8, len(KIT) - 1])
def test_a_cut_tarball_never_passes(tmp_path: Path, keep: int) -> None:
    assert read(tmp_path, KIT[:keep]).contents is None


def test_a_bomb_by_size_is_left_at_the_limit_in_little_memory(tmp_path: Path) -> None:
    raw = gzip.decompress(pack_members([ONE]))[:1024]
    bomb = gzip.compress(raw + bytes(300 << 20), compresslevel=1)
    tracemalloc.start()
    found = read(tmp_path, bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "unpacks to more than" in found.fault
    assert peak < 16 << 20


def test_a_bomb_by_count_is_left_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kit_module, "MAX_MEMBERS", 10)
    assert "more than 10 files" in read(tmp_path, pack({str(n): b"" for n in range(11)})).fault


def test_a_list_too_long_to_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kit_module, "MAX_LIST", 10)
    assert "SHA256SUMS is longer than 10" in read(tmp_path, pack({"SHA256SUMS": b"x" * 11})).fault


def test_nothing_is_written_beside_the_tarball(tmp_path: Path) -> None:
    read(tmp_path, KIT)
    assert [path.name for path in tmp_path.iterdir()] == ["kit.tar.gz"]
