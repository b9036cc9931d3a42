"""A package folder built into a kit, as publishing does it, without Django's database."""

from __future__ import annotations

from pathlib import Path

import pytest
from touchstone.kit import read_kit

from catalog.kits import BuiltKit, KitRefused
from catalog.sources import read_source


def build(folder: Path, destination: Path) -> BuiltKit:
    """The kit of a package folder, in a new folder `destination`."""
    destination.mkdir()
    said: list[str] = []
    return read_source(folder=folder, destination=destination, report=said.append).kit


def refusal(folder: Path) -> str:
    """Why no kit is built of this folder."""
    with pytest.raises(KitRefused) as refused:
        build(folder, folder.parent / "refused")
    return str(refused.value)


def names(kit: BuiltKit) -> set[str]:
    """The files of a built kit, read back from its tarball."""
    contents = read_kit(kit.path).contents
    assert contents is not None
    return set(contents.files)
