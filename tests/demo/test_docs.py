"""The documentation names what is there: every variable, every command, every linked file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
READERS = ("config/settings.py", "config/databases.py", "config/local.py")
READ = re.compile(
    r"""(?:env(?:\.\w+)?\(|environ(?:\.get\(|\[))\s*"([A-Z_]+)\""""
    r"""|"([A-Z_]+)" (?:not )?in os\.environ"""
)
DOCUMENTED = set(re.findall(r"^\| `([A-Z_]+)` \|", OPERATIONS, re.MULTILINE))
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packages").glob("*.md")]
)


def variables_read() -> set[str]:
    sources = "".join((ROOT / name).read_text("utf-8") for name in READERS)
    return {first or second for first, second in READ.findall(sources)}


def test_every_variable_that_settings_read_is_documented() -> None:
    assert variables_read() - DOCUMENTED == set()


def test_every_documented_variable_is_read() -> None:
    assert DOCUMENTED - variables_read() == set()


def test_every_documented_command_exists() -> None:
    named = set(re.findall(r"`manage\.py (\w+)", OPERATIONS)) - {"migrate", "collectstatic"}
    commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
    assert named - commands == set()


def test_every_documented_make_target_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = {name for page in DOCUMENTS for name in _make_targets(page.read_text("utf-8"))}
    assert named - targets == set()


def _make_targets(text: str) -> list[str]:
    return re.findall(r"`make ([a-z-]+)", text)


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text("utf-8"))
    missing = [name for name in targets if not (page.parent / name).exists()]
    assert missing == []
