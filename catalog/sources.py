"""A package folder, read for publishing: each file once, and checked before anything is signed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from catalog.claims import findings_of
from catalog.definition import Definition, load_definition
from catalog.kits import BuiltKit, KitRefused, build_kit, read_file
from catalog.raw_files import public_texts, read_raw_files, texts
from receipts.claims.figures import Finding

STORY = "story.md"
WITHHELD = ("runtime_build_record", "serve_command")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A package folder, read once: what follows cannot differ from what was checked."""

    definition: Definition
    findings: tuple[Finding, ...]
    story: str
    withheld: dict[str, bytes]
    raw: dict[str, bytes]
    kit: BuiltKit

    @property
    def content_sha256(self) -> str:
        """One digest over everything that publishing seals.

        The definition holds the digests of the raw files, which were compared with their bytes.
        """
        content = {
            "definition": self.definition.as_data(),
            "story": self.story,
            "withheld": {
                name: hashlib.sha256(body).hexdigest() for name, body in self.withheld.items()
            },
            "kit": self.kit.sha256,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_source(*, folder: Path, destination: Path, report: Callable[[str], None]) -> Source:
    """Validate the definition of `folder` and build its kit in `destination`.

    Raises DefinitionError, ClaimsRefused for figures that do not fit each other without a
    written reason, and KitRefused for what may go neither into a kit nor on a page.
    """
    folder = folder.resolve()
    definition = load_definition(folder)
    report(f"definition of {definition.release} is valid")
    findings = findings_of(definition)
    report(f"checked {len(findings)} claims: {_in_short(findings)}")
    withheld = {name: _withheld(folder, definition, name) for name in WITHHELD}
    raw = read_raw_files(folder, definition)
    story = _text(folder / STORY, STORY) if (folder / STORY).exists() else b""
    kit = build_kit(
        folder=folder,
        definition=definition,
        verifier_source=settings.VERIFIER_SOURCE,
        withheld=withheld,
        public={STORY: story, "package.yaml": _public_text(definition), **public_texts(raw)},
        destination=destination,
    )
    report(f"built {kit.name}: {kit.size} bytes, sha256 {kit.sha256}")
    return Source(
        definition=definition,
        findings=findings,
        story=story.decode(),
        withheld=withheld,
        raw=raw,
        kit=kit,
    )


def _in_short(findings: tuple[Finding, ...]) -> str:
    counted = Counter(finding.outcome for finding in findings)
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counted.items()))


def _withheld(folder: Path, definition: Definition, name: str) -> bytes:
    place = getattr(definition.withheld, name)
    # A buyer receipt quotes it as text; a purchase is too late to learn that it is none.
    return _text(folder / place, f"withheld.{name}: {place}")


def _text(path: Path, name: str) -> bytes:
    content = read_file(path, name)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise KitRefused(f"{name}: must be UTF-8 text, byte {error.start} is not") from None
    if "\0" in text:
        raise KitRefused(f"{name}: must be text, and holds a zero byte")
    return content


def _public_text(definition: Definition) -> bytes:
    return "\n".join(texts(definition.as_data())).encode()
