"""Pages as their readers have them: the text that shows, and the rules that a browser is given."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def shown(response: Any) -> str:
    """The text of a page, each run of spaces as one."""
    reader = _Text()
    reader.feed(response.text)
    return " ".join("".join(reader.parts).split())


def policy(response: Any) -> dict[str, str]:
    """The directives of a page's Content-Security-Policy."""
    header = response.headers["Content-Security-Policy"]
    parts = [each.strip().partition(" ") for each in header.split(";") if each.strip()]
    return {name: value for name, _, value in parts}
