"""Whether documents that name the same thing say the same of it."""

from collections.abc import Mapping

from touchstone.report import Report


def part(document: object, *path: str) -> object:
    """Follow names into nested objects; None where there is nothing, whatever is in the way."""
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def compare(report: Report, name: str, pairs: Mapping[str, tuple[object, object]]) -> None:
    """Report whether each pair is twice the same thing; what is missing agrees with nothing."""
    odd = [what for what, (one, other) in pairs.items() if one is None or not _same(one, other)]
    if odd:
        one, other = pairs[odd[0]]
        report.fails(name, f"{odd[0]}: {_shown(one)} and {_shown(other)} are not the same")
    else:
        report.holds(name, f"{', '.join(pairs)} agree")


def _same(one: object, other: object) -> bool:
    # True equals 1 and 1 equals 1.0, and none of these is meant.
    return type(one) is type(other) and one == other


def _shown(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
