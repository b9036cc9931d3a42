"""The story of a package: Markdown in which `{{ card }}` stands for the live card."""

from __future__ import annotations

from markdown_it import MarkdownIt

CARD = "{{ card }}"


def story_parts(story: str) -> tuple[str, ...]:
    """The story as HTML, split where the card stands. Raw HTML in it is shown as text."""
    # Written by staff but shown to all: no HTML passes, and links keep to safe schemes.
    markdown = MarkdownIt("commonmark", {"html": False})
    return tuple(markdown.render(part) for part in story.split(CARD, 1))
