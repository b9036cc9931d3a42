"""What one text says otherwise than another: paragraph by paragraph, then word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby
from typing import Literal

Kind = Literal["same", "added", "removed"]
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
# Below this, two paragraphs share words by chance: they read better one after the other.
ALIKE = 0.5
# Comparing words takes the square of their number. A longer paragraph is shown as two.
MOST_WORDS = 3000


@dataclass(frozen=True)
class Piece:
    """Words of a paragraph that are in both texts, in the newer alone or in the older alone."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of either text, in pieces, and the heading that it stands under."""

    heading: str
    pieces: tuple[Piece, ...]

    @property
    def changed(self) -> bool:
        """Whether any word of it is in one text alone."""
        return any(piece.kind != "same" for piece in self.pieces)


@dataclass(frozen=True)
class Run:
    """Paragraphs in a row that are all changed, or all the same."""

    changed: bool
    paragraphs: tuple[Paragraph, ...]


@lru_cache(maxsize=16)
def difference(older: str, newer: str) -> tuple[Run, ...]:
    """Every paragraph of both texts in order, in runs of changed and of unchanged ones."""
    found = _under_headings(_paragraphs(_split(older), _split(newer)))
    return tuple(Run(changed, tuple(run)) for changed, run in groupby(found, lambda p: p.changed))


def _split(text: str) -> list[str]:
    return [each.strip() for each in re.split(r"\n\s*\n", text) if each.strip()]


def _under_headings(paragraphs: Iterator[tuple[Piece, ...]]) -> Iterator[Paragraph]:
    heading = ""
    for pieces in paragraphs:
        text = "".join(piece.text for piece in pieces if piece.kind != "removed")
        if text.startswith("#"):
            heading = text.lstrip("# ")
        yield Paragraph(heading, pieces)


def _paragraphs(older: Sequence[str], newer: Sequence[str]) -> Iterator[tuple[Piece, ...]]:
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, older, newer, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from ((Piece("same", each),) for each in newer[j1:j2])
        else:
            yield from _replaced(older[i1:i2], newer[j1:j2])


def _replaced(older: Sequence[str], newer: Sequence[str]) -> Iterator[tuple[Piece, ...]]:
    """Pair each old paragraph with the next new one that is alike; the rest stand alone."""
    rest = list(newer)
    for old in older:
        place = next((n for n, new in enumerate(rest) if _alike(old, new)), None)
        if place is None:
            yield (Piece("removed", old),)
            continue
        yield from ((Piece("added", new),) for new in rest[:place])
        yield tuple(_words(old, rest[place]))
        del rest[: place + 1]
    yield from ((Piece("added", new),) for new in rest)


def _alike(old: str, new: str) -> bool:
    first, second = WORDS.findall(old), WORDS.findall(new)
    if max(len(first), len(second)) > MOST_WORDS:
        return False
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _words(old: str, new: str) -> Iterator[Piece]:
    first, second = WORDS.findall(old), WORDS.findall(new)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(second[j1:j2]))
            continue
        if i2 > i1:
            yield Piece("removed", "".join(first[i1:i2]))
        if j2 > j1:
            yield Piece("added", "".join(second[j1:j2]))
