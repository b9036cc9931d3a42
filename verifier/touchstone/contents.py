"""A kit's files against the kit's own lists."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from touchstone.checksums import parse_sums
from touchstone.errors import TouchstoneError
from touchstone.kit import SUMS, UPSTREAM, WEIGHT_SUMS, Contents, KitError
from touchstone.report import Report
from touchstone.upstream import Upstream, parse_upstream

_List = TypeVar("_List")


def check_contents(report: Report, contents: Contents) -> None:
    """Compare every file with SHA256SUMS, and the two lists about the weights with each other."""
    _check_files(report, contents)
    _check_weight_lists(report, contents)


def _check_files(report: Report, contents: Contents) -> None:
    try:
        sums = _parsed(contents.lists, SUMS, parse_sums)
    except KitError as error:
        report.fails("kit files", str(error))
        return
    names = sorted(sums.keys() | contents.files.keys() - {SUMS})
    faults = {name: fault for name in names if (fault := _fault(name, sums, contents))}
    for name, fault in faults.items():
        report.fails(f"kit file {name}", fault)
    if not faults:
        report.holds("kit files", f"all {len(names)} files are as {SUMS} lists them")


def _fault(name: str, sums: dict[str, str], contents: Contents) -> str:
    if name == SUMS:
        return f"{SUMS} cannot list itself"
    if name not in contents.files:
        return f"listed in {SUMS}, but missing from the kit"
    if name not in sums:
        return f"in the kit, but not listed in {SUMS}"
    found = contents.files[name].sha256
    return "" if found == sums[name] else f"its bytes are {found}, {SUMS} says {sums[name]}"


def _check_weight_lists(report: Report, contents: Contents) -> None:
    try:
        sums, upstream = weight_lists(contents.lists)
    except KitError as error:
        report.fails("weight lists", str(error))
    else:
        check_agreement(report, sums, upstream)


def check_agreement(report: Report, sums: Mapping[str, str], upstream: Upstream) -> None:
    """Compare the names in the two lists about the weights."""
    if odd := sorted(sums.keys() ^ upstream.sizes.keys()):
        report.fails("weight lists", f"in only one of {WEIGHT_SUMS} and {UPSTREAM}: {odd[0]}")
        return
    origin = f"{len(sums)} files of {upstream.repository} at {upstream.revision}"
    report.holds("weight lists", origin + (", marked as stand-ins" if upstream.stand_in else ""))


def weight_lists(lists: Mapping[str, bytes]) -> tuple[dict[str, str], Upstream]:
    """Read a kit's checksums of the weights, and where they come from. Raises KitError."""
    sums = _parsed(lists, WEIGHT_SUMS, parse_sums)
    return sums, _parsed(lists, UPSTREAM, parse_upstream)


def _parsed(lists: Mapping[str, bytes], name: str, parse: Callable[[bytes], _List]) -> _List:
    if name not in lists:
        raise KitError(f"{name}: missing from the kit")
    try:
        return parse(lists[name])
    except TouchstoneError as error:
        raise KitError(f"{name}: {error}") from error
