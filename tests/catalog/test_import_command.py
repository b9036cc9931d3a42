"""`manage.py import_benchmark`: one message with all that is wrong, and all or nothing written."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from catalog.definition import load_definition
from catalog.importing import writing
from tests.catalog.importing import BENCH, package_text, result

ANSWERS: dict[str, Any] = {"gpus": 8, "seed": "7", "tool_version": "0.21.0"}


@pytest.fixture
def folder(package_folder: Path) -> Path:
    """The sample's folder, whose curve has the lengths of the tools' files."""
    (package_folder / "package.yaml").write_text(package_text(package_folder))
    return package_folder


def run(*files: Path, into: Path, **options: Any) -> str:
    said = io.StringIO()
    arguments = {"into": into, "profile": "interactive", **options}
    call_command("import_benchmark", *files, stdout=said, **arguments)
    return said.getvalue()


def state(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refused(folder: Path, *files: Path, **options: Any) -> str:
    """What is said when nothing is imported; the folder is as it was."""
    before = state(folder)
    with pytest.raises(CommandError) as error:
        run(*files, into=folder, **options)
    assert state(folder) == before
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    return str(error.value)


@pytest.mark.parametrize("named", ["", "package.yaml"])
def test_a_file_is_imported_into_a_folder_or_its_definition(folder: Path, named: str) -> None:
    said = run(BENCH / "vllm-full.json", into=folder / named, **ANSWERS)
    assert "40 of 40   101.01     808.11        20.155" in said
    assert said.endswith("wrote 1 points and 1 raw files\n")
    assert (folder / "raw" / "vllm-full.json").read_bytes() == result("vllm-full").raw
    assert [p.concurrency for p in load_definition(folder).measured_points] == [1, 4, 8, 32]


def test_a_folder_of_runs_becomes_a_curve(folder: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for level in (64, 4, 16):
        data = json.loads(result("vllm-full").raw) | {"max_concurrency": level}
        (runs / f"c{level}.json").write_text(json.dumps(data))
    (runs / "notes.txt").write_text("not a result")
    run(runs, into=folder, **ANSWERS)
    levels = [p.concurrency for p in load_definition(folder).measured_points]
    assert levels == [1, 4, 8, 16, 32, 64]
    assert len(list((folder / "raw").iterdir())) == 3


def test_all_that_is_not_said_is_in_one_message(folder: Path) -> None:
    said = refused(folder, BENCH / "vllm-defaults.json")
    assert said.startswith("nothing was written:\n")
    for option in ("--tool-version", "--gpus", "--seed", "--revision"):
        assert f"add {option}\n" in said + "\n"


def test_one_bad_file_of_several_stops_all(folder: Path) -> None:
    said = refused(folder, BENCH / "vllm-full.json", BENCH / "guidellm-all-failed.json", **ANSWERS)
    assert "guidellm-all-failed.json: " in said


def test_a_definition_that_would_be_wrong_is_not_written(folder: Path) -> None:
    path = folder / "package.yaml"
    path.write_text(path.read_text().replace("ttft: {unit: ms, p50: 5", "ttft: {unit: s, p50: 5"))
    path.write_text(path.read_text().replace("ttft: {unit: ms", "ttft: {unit: s"))
    said = refused(folder, BENCH / "vllm-full.json", **ANSWERS)
    assert "serving_curve[1].ttft.unit: must be s, as the first point has it" in said


def test_a_raw_file_in_the_way_is_left_alone(folder: Path) -> None:
    (folder / "raw").mkdir()
    (folder / "raw" / "vllm-full.json").write_text("{}")
    assert "exists with other content" in refused(folder, BENCH / "vllm-full.json", **ANSWERS)


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_link_in_the_way_is_refused(folder: Path, tmp_path: Path, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if kind == "folder":
        (folder / "raw").symlink_to(elsewhere)
    else:
        (folder / "raw").mkdir()
        (folder / "raw" / "vllm-full.json").symlink_to(elsewhere / "x")
    refused(folder, BENCH / "vllm-full.json", **ANSWERS)
    assert not list(elsewhere.iterdir())


def test_a_disk_that_fills_up_leaves_the_folder_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = writing._replace

    def full(path: Path, content: bytes) -> None:
        if path.name == "package.yaml":
            raise OSError(28, "No space left on device", str(path))
        whole(path, content)

    monkeypatch.setattr(writing, "_replace", full)
    said = refused(folder, BENCH / "vllm-full.json", **ANSWERS)
    assert "No space left on device" in said
    assert not (folder / "raw").exists()


def test_replacing_a_point_replaces_its_file(folder: Path, tmp_path: Path) -> None:
    run(BENCH / "vllm-full.json", into=folder, **ANSWERS)
    again = tmp_path / "vllm-full.json"
    again.write_bytes(result("vllm-full").raw + b"\n")
    assert "--replace" in refused(folder, again, **ANSWERS)
    run(again, into=folder, replace=True, **ANSWERS)
    assert (folder / "raw" / "vllm-full.json").read_bytes() == again.read_bytes()
    assert len(load_definition(folder).raw_files) == 1


@pytest.mark.parametrize("what", ["missing", "empty folder", "link"])
def test_files_that_cannot_be_read_are_named(folder: Path, tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.json"
    if what == "empty folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(BENCH / "vllm-full.json")
    assert "x.json: " in refused(folder, path, **ANSWERS)


@pytest.mark.parametrize("count", ["0", "-1", "eight", "1.5", "9" * 12])
def test_a_number_that_is_none_is_refused(folder: Path, count: str) -> None:
    with pytest.raises(CommandError, match="--gpus: must be a whole number from 1 on"):
        call_command(
            "import_benchmark", "x.json", f"--into={folder}", "--profile=x", f"--gpus={count}"
        )


def test_a_folder_without_a_definition_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CommandError, match=r"package\.yaml: No such file"):
        run(BENCH / "vllm-full.json", into=tmp_path / "empty", **ANSWERS)
    shutil.rmtree(tmp_path / "empty")
