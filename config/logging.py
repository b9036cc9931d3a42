"""What a log may say: everything but a download link, which is a key while it lives."""

from __future__ import annotations

import logging
import re

# A client may escape any letter of the path and still reach the view.
_FOLDER = "".join(f"(?:{letter}|%{ord(letter):x})" for letter in "download")
_LINK = re.compile(rf"((?:/|%2f){_FOLDER}(?:/|%2f))[^\s?#\"'<>]+", re.IGNORECASE)
MASK = "[link]"


def without_links(text: str) -> str:
    """The text with every download link's token masked."""
    return _LINK.sub(rf"\g<1>{MASK}", text)


class HideLinks(logging.Filter):
    """Lets every record pass, without the tokens of download links."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_links(record.getMessage()), ()
        return True
