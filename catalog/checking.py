"""The page that teaches strangers to check: docs/verify.md, whose every command the tests run."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from markdown_it import MarkdownIt


@cache
def how_to_check() -> str:
    """The document as HTML. Its links lead to files of the project, so only their words stay."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for rule in ("link_open", "link_close"):
        markdown.add_render_rule(rule, lambda *_: "")
    page: str = markdown.render((settings.BASE_DIR / "docs" / "verify.md").read_text("utf-8"))
    return page
