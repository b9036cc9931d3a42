"""Names of files inside a kit: relative, plain, and one file each on every file system."""

import unicodedata

from touchstone.errors import TouchstoneError

MAX_LENGTH = 1024
MAX_DEPTH = 16


class NameClashError(TouchstoneError):
    """Two members of one tree would be one file on some system."""


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


class NameRegister:
    """The names of one tree and of every folder above them, each of which must be the only one."""

    def __init__(self) -> None:
        self._listed: set[str] = set()
        self._claims: dict[str, tuple[str, bool]] = {}

    def __len__(self) -> int:
        return len(self._listed)

    def add(self, name: str, *, is_folder: bool) -> None:
        """Take a member's name. Raises NameClashError."""
        if name in self._listed:
            raise NameClashError(f"{name!r} appears twice")
        self._listed.add(name)
        parts = name.split("/")
        for depth in range(1, len(parts)):
            self._claim("/".join(parts[:depth]), is_folder=True)
        self._claim(name, is_folder=is_folder)

    def _claim(self, name: str, *, is_folder: bool) -> None:
        other, other_is_folder = self._claims.setdefault(_folded(name), (name, is_folder))
        if other != name:
            raise NameClashError(f"{name!r} and {other!r} are one name where case is folded")
        if is_folder != other_is_folder:
            raise NameClashError(f"{name!r} is both a file and a folder")


def _folded(name: str) -> str:
    """Give the form under which two names collide on systems that fold case or normalise."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
