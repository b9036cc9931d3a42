"""Lists of a YAML text changed in place: every line that is not of a changed entry stays as it is.

A parser that writes the whole text again keeps most of its layout. Here the parser only says on
which lines an entry lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from .writing_yaml import entry_lines


class LayoutError(ValueError):
    """The list is written in a way that no entry can be put into."""


@dataclass(frozen=True)
class Edit:
    """Lines `start` to below `end` give way to others."""

    start: int
    end: int
    lines: Sequence[str]


@dataclass(frozen=True)
class Listing:
    """A block list: the column of its dashes, and from which to below which line each entry is."""

    column: int
    entries: tuple[tuple[int, int], ...]

    def put(self, at: int, entry: dict[str, object]) -> Edit:
        """An edit that puts an entry in the place of another."""
        return Edit(*self.entries[at], entry_lines(entry, self.column))

    def insert(self, at: int, entry: dict[str, object]) -> Edit:
        """An edit that puts an entry before another, or behind the last."""
        # Behind the entry before it: comments above an entry stay with that.
        line = self.entries[at - 1][1] if at else self.entries[0][0]
        return Edit(line, line, entry_lines(entry, self.column))

    def remove(self, at: int) -> Edit:
        """An edit that takes an entry out."""
        return Edit(*self.entries[at], ())


def find_list(text: str, key: str) -> Listing | None:
    """The block list of a top-level key, or None where it is absent or empty.

    Raises LayoutError where it is written in brackets.
    """
    pair = _pair(text, key)
    if pair is None or (isinstance(pair[1], SequenceNode) and not pair[1].value):
        return None
    node = pair[1]
    if not isinstance(node, SequenceNode) or node.flow_style:
        raise LayoutError(f"{key}: must be written with one dash an entry")
    column, lines = node.start_mark.column, text.split("\n")
    return Listing(column, tuple(_span(lines, column, each) for each in node.value))


def add_list(text: str, key: str, entries: Sequence[dict[str, object]], *, behind: str) -> Edit:
    """An edit that writes a list behind that of another key, or in the place of an empty one."""
    lines = [f"{key}:", *(line for each in entries for line in entry_lines(each, 2))]
    empty = _pair(text, key)
    if empty:
        return Edit(empty[0].start_mark.line, _last_line(empty[1]) + 1, lines)
    listing = find_list(text, behind)
    if listing is None:
        raise LayoutError(f"{behind}: is empty")
    end = listing.entries[-1][1]
    return Edit(end, end, ["", *lines])


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made, each counted in lines of the text as it was."""
    ending = "\r" if "\r\n" in text else ""
    lines = text.split("\n")
    # From below, so that a line's number holds until it is used; at one line, what is put
    # before an entry comes after the edit of that entry. Sorting keeps the order of insertions.
    merged: dict[tuple[int, int], list[str]] = {}
    for edit in edits:
        merged.setdefault((edit.start, edit.end), []).extend(line + ending for line in edit.lines)
    for (start, end), new in sorted(merged.items(), reverse=True):
        lines[start:end] = new
    return "\n".join(lines)


def _pair(text: str, key: str) -> tuple[Node, Node] | None:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, MappingNode) else []
    return next(((name, value) for name, value in pairs if name.value == key), None)


def _span(lines: Sequence[str], column: int, node: Node) -> tuple[int, int]:
    start = node.start_mark.line
    while lines[start][column : column + 1] != "-" or lines[start][:column].strip():
        start -= 1
    return start, _last_line(node) + 1


def _last_line(node: Node) -> int:
    """The last line of a node's own content: its end mark may lie behind comments below it."""
    if isinstance(node, ScalarNode) or getattr(node, "flow_style", False) or not node.value:
        mark = node.end_mark
        return mark.line - 1 if mark.column == 0 and mark.line > node.start_mark.line else mark.line
    last = node.value[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)
