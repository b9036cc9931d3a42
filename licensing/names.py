from __future__ import annotations

import unicodedata


def same_name(one: str, other: str) -> bool:
    """Whether two names differ at most in case, spaces and the form of their characters."""
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
