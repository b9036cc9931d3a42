from __future__ import annotations

from markdown_it import MarkdownIt

TITLE_TOKENS = 3  # its opening, its words, its close


def terms_html(text: str) -> str:
    """A terms text as HTML without its title, which the page has as its own heading.

    Raw HTML in it is shown as text, an image as the link that it is.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).disable("image")
    tokens = markdown.parse(text)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        tokens = tokens[TITLE_TOKENS:]
    rendered: str = markdown.renderer.render(tokens, markdown.options, {})
    return rendered
