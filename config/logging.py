"""What a log may say: everything but the token of a download link or an invitation."""

from __future__ import annotations

import logging
import re

# A client may escape any letter of the path and still reach the view.
_FOLDERS = "|".join(
    "".join(f"(?:{letter}|%{ord(letter):x})" for letter in folder)
    for folder in ("download", "invitations")
)
_LINK = re.compile(rf"((?:/|%2f)(?:{_FOLDERS})(?:/|%2f))[^\s?#\"'<>]+", re.IGNORECASE)
MASK = "[link]"


def without_links(text: str) -> str:
    """The text with the token of every link masked."""
    return _LINK.sub(rf"\g<1>{MASK}", text)


class HideLinks(logging.Filter):
    """Lets every record pass, without the tokens of links."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_links(record.getMessage()), ()
        return True
