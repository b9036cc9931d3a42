"""What staff do: publish, and what publishing refuses."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING

from demo.environment import CHECKOUT
from demo.instance import PACKAGE
from demo.walkthrough.proof import prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from demo.walkthrough.journey import Journey


def publish_again(journey: Journey) -> None:
    """The same content again is a no-op."""
    again = journey.manage("publish", PACKAGE)
    prove(again.status == 0, "publishing the same folder again succeeds", found=again.said)
    prove("nothing to do" in again.said, "and changes nothing", found=again.said)


def refuse_other_content(journey: Journey) -> None:
    """A sealed version is final."""
    refused = _publish_changed(journey, lambda folder: _append(folder / "README.md", "\nMore.\n"))
    prove("CommandError" in refused, "other content under the same version is refused")
    prove("final" in refused, f"it says: {_last(refused)}", found=refused)


def refuse_a_branch_as_revision(journey: Journey) -> None:
    """A branch moves; a commit does not."""

    def change(folder: Path) -> None:
        file = folder / "package.yaml"
        text, changed = re.subn(r"(revision: ).*", r"\g<1>main", file.read_text())
        prove(changed > 0, "the definition names an upstream revision")
        file.write_text(text)

    refused = _publish_changed(journey, change)
    prove("upstream.revision" in refused, f"it says: {_last(refused)}", found=refused)


def refuse_weight_bytes(journey: Journey) -> None:
    """The store sells no weights, whatever the file is called."""

    def change(folder: Path) -> None:
        shards = make_shards(journey, journey.work / "smuggled")
        shutil.copy(next(shards.iterdir()), folder / "deploy" / "interactive" / "notes.txt")

    refused = _publish_changed(journey, change)
    prove("notes.txt" in refused, f"it says: {_last(refused)}", found=refused)


def make_shards(journey: Journey, folder: Path) -> Path:
    """Write the package's stand-in shards into a folder; returns it."""
    script = str(CHECKOUT / PACKAGE / "make_stand_in_shards.py")
    made = journey.run([sys.executable, script, str(folder)])
    prove(made.status == 0, made.last_line, found=made.said)
    return folder


def _publish_changed(journey: Journey, change: Callable[[Path], None]) -> str:
    """Publish a changed copy of the package, which must fail; returns what was said."""
    folder = journey.work / "changed" / journey.definition["slug"]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CHECKOUT / PACKAGE, folder)
    change(folder)
    ended = journey.manage("publish", str(folder))
    prove(ended.status != 0, "the changed copy is not published", found=ended.said)
    return ended.said


def _append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def _last(said: str) -> str:
    return said.strip().splitlines()[-1]
