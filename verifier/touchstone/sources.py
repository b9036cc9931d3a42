"""What a user names on the command line, read in bounded memory."""

from pathlib import Path

from touchstone.checksums import parse_sums
from touchstone.contents import weight_lists
from touchstone.kit import UPSTREAM, WEIGHT_SUMS, KitError, read_kit
from touchstone.upstream import Upstream, parse_upstream

WeightLists = tuple[dict[str, str], Upstream | None]

_MAX_DOCUMENT = 4 << 20  # the formats' own limits lie at or below this, and refuse what is longer


def read_document(path: Path) -> bytes:
    """Read a file, or just as much as shows that it is too long. Raises OSError."""
    with path.open("rb") as file:
        return file.read(_MAX_DOCUMENT + 1)


def lists_of_kit(kit: Path) -> WeightLists:
    """Take both lists about the weights from a tarball. Raises TouchstoneError or OSError."""
    found = read_kit(kit)
    if found.contents is None:
        raise KitError(found.fault)
    return weight_lists(found.contents.lists)


def lists_of_file(sums: Path) -> WeightLists:
    """Take a list of checksums, and the sizes if `upstream.json` lies beside it.

    Raises TouchstoneError or OSError.
    """
    upstream = sums.with_name(Path(UPSTREAM).name)
    return (
        parse_sums(read_document(sums)),
        parse_upstream(read_document(upstream)) if upstream.exists() else None,
    )


def own_list() -> Path | None:
    """Find the list of the unpacked kit that this very copy of the package lies in."""
    path = Path(__file__).resolve().parents[2] / WEIGHT_SUMS
    return path if path.is_file() else None
