"""Which versions of a tool are known to mean by their fields what is read from them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBERS = re.compile(
    r"v?(\d{1,4})\.(\d{1,4})(?:[.+-][0-9A-Za-z.+-]*|(?:a|b|rc|post|dev)\d*)?", re.ASCII
)
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True, slots=True)
class Range:
    """Releases from `first` to below `end`, each a pair of major and minor number."""

    first: tuple[int, int]
    end: tuple[int, int]

    def __contains__(self, version: object) -> bool:
        match = _NUMBERS.fullmatch(str(version))
        return match is not None and self.first <= (int(match[1]), int(match[2])) < self.end

    def __str__(self) -> str:
        return f"{_text(self.first)} to below {_text(self.end)}"


@dataclass(frozen=True, slots=True)
class Commit:
    """A tool without releases: a commit of its repository."""

    def __contains__(self, version: object) -> bool:
        return _COMMIT.fullmatch(str(version)) is not None

    def __str__(self) -> str:
        return "a commit of its repository, in 7 to 40 hex digits"


def _text(pair: tuple[int, int]) -> str:
    return f"{pair[0]}.{pair[1]}"
