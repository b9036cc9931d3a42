"""A package whose curve has the lengths of the tools' files, and what an import makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from touchstone.benchmarks import Stated

from catalog.definition import Problem
from catalog.importing import Imported, ImportRefused, ResultFile, import_results, write_import

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "tests" / "bench"
STATED = Stated(gpus=8, seed="7", tool_version="0.21.0")


def package_text(path: Path = ROOT / "packages" / "kimi-k3-8xb300") -> str:
    """The sample's definition, with 64 prompt and 32 output tokens in its curve's protocol."""
    text = (path / "package.yaml").read_text()
    text = text.replace("prompt_tokens: 32768", "prompt_tokens: 64")
    return text.replace("    output_tokens: 2048\n    temp", "    output_tokens: 32\n    temp")


def result(name: str, **renamed: str) -> ResultFile:
    """One of the tools' own files."""
    return ResultFile(
        name=renamed.get("to", f"{name}.json"), raw=(BENCH / f"{name}.json").read_bytes()
    )


def imported(*files: ResultFile, **changed: Any) -> Imported:
    """An import into the sample; `changed` replaces its arguments and what is stated."""
    arguments: dict[str, Any] = {"profile": "interactive", "replace": False, "text": package_text()}
    arguments |= {name: changed.pop(name) for name in arguments.keys() & changed.keys()}
    return import_results(
        package=arguments["text"].encode(),
        files=files,
        profile=arguments["profile"],
        stated=Stated(**changed),
        replace=arguments["replace"],
    )


def refusals(*files: ResultFile, **changed: Any) -> list[Problem]:
    """Why nothing is imported."""
    with pytest.raises(ImportRefused) as refused:
        imported(*files, **changed)
    return refused.value.problems


def put(folder: Path, *files: ResultFile) -> None:
    """Import results into a package folder."""
    (folder / "package.yaml").write_text(package_text(folder))
    package = (folder / "package.yaml").read_bytes()
    arguments: dict[str, Any] = {"profile": "interactive", "stated": STATED}
    write_import(folder, import_results(package=package, files=files, **arguments))
    _keep_imported(folder / "package.yaml")


def _keep_imported(source: Path) -> None:
    # The sample's own figures were measured with longer requests: together they make no sense.
    data = yaml.safe_load(source.read_text())
    data["serving_curve"] = [point for point in data["serving_curve"] if "raw" in point]
    data |= {"other_points": [], "comparisons": []}
    source.write_text(yaml.safe_dump(data, sort_keys=False))
