"""What the documents call by name is in the tree: files, constraints, triggers, functions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shop import ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
PATH = re.compile(r"`([a-z_]+(?:/[\w.-]+)+\.(?:py|md|yml|json|sh))`")
CODE = re.compile(r"`([a-z]+(?:_[a-z0-9]+)+)`")
SOURCES = "".join(
    path.read_text("utf-8")
    for room in ("catalog", "config", "entitlements", "licensing", "receipts", "verifier")
    for path in (ROOT / room).rglob("*.py")
)


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_every_file_that_a_document_names_is_there(page: Path) -> None:
    kit = {"weights/upstream.json"}
    named = set(PATH.findall(page.read_text("utf-8"))) - kit
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("name", ["architecture.md", "security.md", "formats.md"])
def test_every_constraint_trigger_and_function_that_a_document_names_is_there(name: str) -> None:
    named = set(CODE.findall((ROOT / "docs" / name).read_text("utf-8")))
    assert [word for word in sorted(named) if word not in SOURCES] == []


def test_the_architecture_names_what_keeps_each_promise() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    kept = re.findall(r"^\| (\d)\. [^|]+ \| `([^`]+)` \| .*`\w+`", text, re.MULTILINE)
    assert [number for number, _ in kept] == ["1", "2", "3", "4", "5"]
    assert all((ROOT / file).is_file() for _, file in kept)
