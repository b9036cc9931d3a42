"""Names of files inside a kit: relative, plain, and one file each on every file system."""

import unicodedata

MAX_LENGTH = 1024
MAX_DEPTH = 16


def check_name(name: str) -> None:
    """Refuse a name that could point outside a folder or hide what it is. Raises ValueError."""
    if not name or len(name) > MAX_LENGTH:
        raise ValueError(f"a name must have 1 to {MAX_LENGTH} characters")
    if "\\" in name:
        raise ValueError(f"{name!r} holds a backslash")
    if not name.isprintable():
        raise ValueError(f"{name!r} holds a character that cannot be printed")
    if name.startswith("/"):
        raise ValueError(f"{name!r} is absolute; names are relative to the folder of the list")
    if name.count("/") >= MAX_DEPTH:
        raise ValueError(f"{name!r} lies more than {MAX_DEPTH} folders deep")
    if any(part in {"", ".", ".."} for part in name.split("/")):
        raise ValueError(f"{name!r} holds an empty part, '.' or '..'")


def folded(name: str) -> str:
    """Give the form under which two names collide on systems that fold case or normalise."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
