"""Where the weights come from: `weights/upstream.json` of a kit."""

import re
from dataclasses import dataclass

from touchstone.errors import TouchstoneError
from touchstone.names import check_name
from touchstone.strictjson import StrictJsonError, load_object

MAX_BYTES = 4 << 20

_COMMIT = re.compile(r"[0-9a-f]{40}")


class UpstreamError(TouchstoneError):
    """The file is malformed; the message names the field."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A repository at one commit, and its files with their sizes in bytes.

    `stand_in` tells that repository, revision and files are made up for a demonstration.
    """

    repository: str
    revision: str
    sizes: dict[str, int]
    stand_in: bool


def parse_upstream(raw: bytes) -> Upstream:
    """Read the file; fields it does not know are left to others. Raises UpstreamError."""
    try:
        document = load_object(raw, limit=MAX_BYTES)
    except StrictJsonError as error:
        raise UpstreamError(str(error)) from error
    repository, revision = document.get("repository"), document.get("revision")
    if not isinstance(repository, str) or not repository:
        raise UpstreamError("repository: must be a string that is not empty")
    if not isinstance(revision, str) or not _COMMIT.fullmatch(revision):
        raise UpstreamError("revision: must be a commit of 40 hex digits, not a branch or a tag")
    stand_in = document.get("standIn", False)
    if not isinstance(stand_in, bool):
        raise UpstreamError("standIn: must be true or false")
    return Upstream(repository, revision, _parse_files(document.get("files")), stand_in)


def _parse_files(entries: object) -> dict[str, int]:
    if not isinstance(entries, list) or not entries:
        raise UpstreamError("files: must be a list of at least one")
    sizes: dict[str, int] = {}
    for at, entry in enumerate(entries):
        name, size = _parse_file(entry, f"files[{at}]")
        if name in sizes:
            raise UpstreamError(f"files[{at}].name: {name!r} is listed twice")
        sizes[name] = size
    return sizes


def _parse_file(entry: object, where: str) -> tuple[str, int]:
    if not isinstance(entry, dict):
        raise UpstreamError(f"{where}: must be an object")
    name, size = entry.get("name"), entry.get("size")
    if not isinstance(name, str):
        raise UpstreamError(f"{where}.name: must be a string")
    try:
        check_name(name)
    except ValueError as error:
        raise UpstreamError(f"{where}.name: {error}") from error
    # A bool is an int to isinstance.
    if type(size) is not int or size < 0:
        raise UpstreamError(f"{where}.size: must be a whole number of bytes")
    return name, size
