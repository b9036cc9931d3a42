from pathlib import Path

import pytest

from demo.errors import DemoError
from demo.folder import empty, held


def a_demos_folder(path: Path) -> Path:
    (path / "kits").mkdir(parents=True)
    (path / "kits" / "one").write_text("bytes")
    (path / "demo.env").write_text("SITE_URL=http://127.0.0.1:8000\n")
    return path


def test_reset_empties_a_demos_folder(tmp_path: Path) -> None:
    data = a_demos_folder(tmp_path / "data")
    empty(data, checkout=tmp_path / "checkout")
    assert list(data.iterdir()) == []


def test_reset_follows_no_link_out_of_the_folder(tmp_path: Path) -> None:
    data = a_demos_folder(tmp_path / "data")
    outside = a_demos_folder(tmp_path / "outside")
    (data / "link").symlink_to(outside)
    empty(data, checkout=tmp_path / "checkout")
    assert (outside / "kits" / "one").exists()


def test_reset_refuses_files_that_no_demo_made(tmp_path: Path) -> None:
    thesis = tmp_path / "data" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("years of work")
    with pytest.raises(DemoError, match="none that a demo made"):
        empty(thesis.parent, checkout=tmp_path / "checkout")
    assert thesis.exists()


@pytest.mark.parametrize("inner", [".", "checkout", "deep/checkout"])
def test_reset_refuses_the_checkout_and_what_holds_it(tmp_path: Path, inner: str) -> None:
    data = a_demos_folder(tmp_path / "data")
    with pytest.raises(DemoError, match="more than the demo's data"):
        empty(data, checkout=(data / inner).resolve())


def test_reset_refuses_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = a_demos_folder(tmp_path / "data")
    monkeypatch.setenv("HOME", str(data))
    with pytest.raises(DemoError, match="left alone"):
        empty(data, checkout=tmp_path / "checkout")


def test_reset_refuses_a_repository(tmp_path: Path) -> None:
    data = a_demos_folder(tmp_path / "data")
    (data / ".git").mkdir()
    with pytest.raises(DemoError, match="repository"):
        empty(data, checkout=tmp_path / "checkout")


def test_one_folder_serves_one_demo_at_a_time(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(DemoError, match="Another demo runs"), held(tmp_path):
        pass
    with held(tmp_path):
        pass
