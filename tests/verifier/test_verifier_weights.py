"""`touchstone weights`: each shard by name, size and bytes, and what has no place beside them."""

import io
import os
from pathlib import Path

import pytest
from touchstone import weights as weights_module
from touchstone.checksums import format_sums
from touchstone.cli import main
from touchstone.progress import Progress
from touchstone.upstream import parse_upstream
from touchstone.weights import check_weights

from tests.verifier.kits import KIT, SHARDS, kit_files, lay_out, pack, sha256, upstream

FIRST, SECOND = SHARDS
SUMS = {name: sha256(data) for name, data in SHARDS.items()}
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "weights", SHARDS)


@pytest.fixture
def kit(tmp_path: Path) -> str:
    (tmp_path / "kit.tar.gz").write_bytes(KIT)
    return str(tmp_path / "kit.tar.gz")


def failures(folder: Path) -> dict[str, str]:
    report = check_weights(directory=folder, sums=SUMS, upstream=parse_upstream(upstream()))
    assert report.exit_code == (1 if report.failures else 0)
    return {check.name.removeprefix("weights "): check.detail for check in report.failures}


def test_whole_weights_hold(folder: Path, kit: str, capsys: Capture) -> None:
    assert main(["weights", str(folder), "--kit", kit]) == 0
    out = capsys.readouterr().out
    assert "holds  weights: all 2 files have the listed bytes" in out
    assert "example/tiny at 0000000000000000000000000000000000000000, marked as stand-ins" in out


def test_a_missing_shard_is_named(folder: Path) -> None:
    (folder / FIRST).unlink()
    assert failures(folder) == {FIRST: "missing"}


def test_a_short_shard_is_named_without_hashing(folder: Path) -> None:
    (folder / FIRST).write_bytes(SHARDS[FIRST][:-1])
    assert failures(folder) == {FIRST: "short: 10 bytes instead of 11"}


def test_a_shard_that_is_too_long_is_named(folder: Path) -> None:
    (folder / FIRST).write_bytes(SHARDS[FIRST] + b"x")
    assert failures(folder) == {FIRST: "too long: 12 bytes instead of 11"}


def test_the_right_size_with_wrong_bytes_is_named(folder: Path) -> None:
    (folder / SECOND).write_bytes(b"SECOND")
    assert failures(folder)[SECOND].startswith(f"other bytes: sha256 {sha256(b'SECOND')}")


def test_an_extra_file_is_named_wherever_it_lies(folder: Path) -> None:
    lay_out(folder, {"b.bin": b"", "sub/c.bin": b""})
    extra = "extra: a file that the list does not name"
    assert failures(folder) == {"b.bin": extra, "sub/c.bin": extra}


def test_an_extra_folder_is_named_once_and_not_entered(folder: Path) -> None:
    lay_out(folder, {"other/deep/file": b""})
    assert failures(folder) == {"other": "extra: a folder that the list does not name"}


def test_a_folder_in_place_of_a_shard_is_not_called_missing(folder: Path) -> None:
    (folder / FIRST).unlink()
    (folder / FIRST).mkdir()
    assert failures(folder)[FIRST].startswith("is a folder, not a file")


def test_a_link_out_of_the_tree_is_refused_even_to_the_right_bytes(
    folder: Path, tmp_path: Path
) -> None:
    (folder / FIRST).rename(tmp_path / "elsewhere")
    (folder / FIRST).symlink_to(tmp_path / "elsewhere")
    assert failures(folder)[FIRST].startswith("is a symbolic link, not a file")


def test_a_cycle_of_links_ends(folder: Path) -> None:
    (folder / "loop").symlink_to(folder)
    assert failures(folder) == {"loop": "extra: a symbolic link that the list does not name"}


def test_a_linked_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "sub").rename(tmp_path / "sub")
    (folder / "sub").symlink_to(tmp_path / "sub")
    assert failures(folder).keys() == {"sub", SECOND}


def test_a_pipe_in_place_of_a_shard_is_not_opened(folder: Path) -> None:
    (folder / FIRST).unlink()
    os.mkfifo(folder / FIRST)
    assert failures(folder)[FIRST].startswith("is a special file, not a file")


def test_the_cache_of_a_download_tool_is_ignored(folder: Path) -> None:
    lay_out(folder, {".cache/huggingface/file.lock": b""})
    assert failures(folder) == {}


def test_a_shard_that_cannot_be_read_stays_unchecked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, **_kwargs: object) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(weights_module, "sha256_file", refuse)
    report = check_weights(directory=folder, sums=SUMS, upstream=None)
    assert report.exit_code == 2
    assert report.checks[0].detail == "cannot be read: Permission denied"


def test_a_list_alone_is_enough(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "SHA256SUMS").write_bytes(format_sums(SUMS))
    assert main(["weights", str(folder), "--sums", str(tmp_path / "SHA256SUMS")]) == 0


def test_sizes_beside_a_list_are_used(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    sizes = upstream({**SHARDS, FIRST: b"longer than it is"})
    lay_out(tmp_path, {"SHA256SUMS": format_sums(SUMS), "upstream.json": sizes})
    assert main(["weights", str(folder), "--sums", str(tmp_path / "SHA256SUMS")]) == 1
    assert f"FAILS  weights {FIRST}: short" in capsys.readouterr().out


def test_lists_of_different_files_do_not_hold(folder: Path) -> None:
    other = parse_upstream(upstream({**SHARDS, "z": b""}))
    report = check_weights(directory=folder, sums=SUMS, upstream=other)
    assert [check.detail for check in report.failures] == [
        "in only one of weights/SHA256SUMS and weights/upstream.json: z"
    ]


@pytest.mark.parametrize(
    "tarball", [KIT[:-9], pack({**kit_files(), "weights/SHA256SUMS": b"x"})], ids=["cut", "list"]
)
def test_a_kit_whose_list_cannot_be_read_does_not_hold(
    folder: Path, kit: str, tarball: bytes
) -> None:
    Path(kit).write_bytes(tarball)
    assert main(["weights", str(folder), "--kit", kit]) == 1


def test_a_folder_that_is_missing_could_not_be_checked(
    tmp_path: Path, kit: str, capsys: Capture
) -> None:
    assert main(["weights", str(tmp_path / "none"), "--kit", kit]) == 2
    assert "No such file or directory" in capsys.readouterr().out


def test_without_a_list_the_command_asks_for_one(folder: Path, capsys: Capture) -> None:
    assert main(["weights", str(folder)]) == 2
    assert "--kit KIT or --sums FILE" in capsys.readouterr().out


def test_a_terminal_is_told_and_left_clean(folder: Path) -> None:
    terminal = io.StringIO()
    check_weights(directory=folder, sums=SUMS, upstream=None, progress=terminal)
    assert terminal.getvalue() == "\r\x1b[K"


def test_progress_gives_share_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 0.1, 2.0])
    monkeypatch.setattr("touchstone.progress.time.monotonic", lambda: next(now))
    terminal = io.StringIO()
    progress = Progress(total=164 * 10**9, stream=terminal)
    progress.advance(2 * 10**9)
    progress.advance(2 * 10**9)
    assert terminal.getvalue() == "\r\x1b[K  2%  2.00 GB/s  1:20 left"
