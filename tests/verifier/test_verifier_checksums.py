"""Lists of checksums: the same as sha256sum's, minus the names that could do harm."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from touchstone.checksums import BLOCK, SumsError, format_sums, parse_sums, sha256_file

from tests.verifier.kits import by_words

A = "a" * 64


def test_a_written_list_is_sorted_and_reads_back() -> None:
    raw = format_sums({"b": A, "a/c": A})
    assert raw == f"{A}  a/c\n{A}  b\n".encode()
    assert parse_sums(raw) == {"a/c": A, "b": A}


def test_the_standard_tool_accepts_a_written_list(tmp_path: Path) -> None:
    (tmp_path / "größe 1").write_bytes(b"bytes")
    sums = format_sums({"größe 1": hashlib.sha256(b"bytes").hexdigest()})
    (tmp_path / "SHA256SUMS").write_bytes(sums)
    subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_a_file_marked_as_binary_is_read_too() -> None:
    assert parse_sums(f"{A} *kit\n".encode()) == {"kit": A}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "line 1: must be 64"),
        (b"\xff", "not UTF-8"),
        (f"{A} kit\n".encode(), "line 1: must be 64"),
        (f"{'A' * 64}  kit\n".encode(), "line 1: must be 64"),
        (f"{A}  kit\n\n".encode(), "line 2: must be 64"),
        (f"{A}  kit\n{A}  kit\n".encode(), "line 2: 'kit' is listed twice"),
        (f"\\{A}  k\\\\it\n".encode(), "line 1: names with a backslash"),
        (f"{A}  k\\it\n".encode(), "backslash"),
        (f"{A}  kit\r\n".encode(), "cannot be printed"),
        (f"{A}  /etc/passwd\n".encode(), "is absolute"),
        (f"{A}  a/../b\n".encode(), "'..'"),
        (f"{A}  ./b\n".encode(), "'..'"),
        (f"{A}  a//b\n".encode(), "an empty part"),
        (f"{A}  {'a/' * 20}b\n".encode(), "folders deep"),
        (f"{A}  {'a' * 2000}\n".encode(), "1 to 1024 characters"),
        (b"a" * (5 << 20), "longer than"),
    ],
    ids=by_words,
)
def test_a_wrong_list_names_its_line(raw: bytes, message: str) -> None:
    with pytest.raises(SumsError, match=message):
        parse_sums(raw)


def test_a_name_that_cannot_be_read_is_not_written() -> None:
    with pytest.raises(SumsError, match=r"'..'"):
        format_sums({"../up": A})


@pytest.mark.parametrize("size", [0, 1, BLOCK, BLOCK + 1])
def test_a_file_is_hashed_whole_and_each_byte_is_reported(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * size)
    heard: list[int] = []
    assert sha256_file(path, on_bytes=heard.append) == hashlib.sha256(b"x" * size).hexdigest()
    assert sum(heard) == size
