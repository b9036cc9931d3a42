"""Licences under newer terms in a bundle: signed later, for what was bought before."""

from touchstone.agreeing import compare, part
from touchstone.bundle import NEWER_TERMS, Bundle
from touchstone.bundle_licence import check_licence
from touchstone.receipts import Receipt
from touchstone.report import Report


def check_newer_terms(
    report: Report, bundle: Bundle, keys: bytes, licence: Receipt | None
) -> list[str]:
    """Check each by the purchase's own rules and against its licence; returns the signatures."""
    signatures = []
    for at in bundle.newer_terms:
        own = Report()
        newer = check_licence(own, bundle, keys, at=at)
        if newer is not None:
            signatures.append(str(newer.statement.predicate.get("signature")))
        _check_bound(own, at, newer, licence)
        report.include(own, under=at)
    return signatures


def _check_bound(report: Report, at: str, newer: Receipt | None, licence: Receipt | None) -> None:
    if newer is None or licence is None:
        report.unchecked("licence", "two licence receipts that hold are needed to compare them")
        return
    said, agreed = newer.statement.predicate, licence.statement.predicate
    compare(
        report,
        "licence",
        {
            "entity": (part(said, "entity", "id"), part(agreed, "entity", "id")),
            "package": (said.get("package"), agreed.get("package")),
            "folder": (at, _folder(said)),
        },
    )
    if said.get("signature") == agreed.get("signature"):
        report.fails("signature", "it is the one that the purchase was made with")


def _folder(said: dict[str, object]) -> str:
    # The place in the chain of signatures keeps two signatures of one text apart.
    family, version = (part(said, "terms", each) for each in ("family", "version"))
    return f"{NEWER_TERMS}/{family}-{version}-{part(said, 'chain', 'position')}/"
