"""A kit against its benchmark receipt: the check that buyers make, and the store before sealing."""

import hashlib
from pathlib import Path

from touchstone.contents import check_contents
from touchstone.kit import SUMS, WEIGHT_SUMS, Kit, read_kit
from touchstone.receipts import check_receipt
from touchstone.report import Report
from touchstone.revealing import check_buyer_receipt
from touchstone.statement import BENCHMARK_RECEIPT, Statement, Subject


def verify_kit(
    *, kit: Path, receipt: bytes, keys: bytes, buyer_receipt: bytes | None = None
) -> Report:
    """Check signature, statement, every subject, the size, and every file of the kit.

    `receipt` is a DSSE envelope or a Sigstore bundle that holds one; `keys` a key document. With
    `buyer_receipt`, what it reveals is compared with what the receipt binds. Input that can be
    read and is malformed does not hold. Raises OSError if the kit cannot be read.
    """
    report = Report()
    found = read_kit(kit)
    signed = check_receipt(report, receipt, keys, predicate_type=BENCHMARK_RECEIPT)
    if signed is None:
        report.unchecked("subjects", "no receipt that holds says what this kit should be")
    else:
        _check_subjects(report, signed.statement, found)
        _check_size(report, signed.statement, found)
    if buyer_receipt is not None:
        check_buyer_receipt(report, buyer_receipt, keys, signed)
    if found.contents is None:
        report.fails("kit", found.fault)
    else:
        check_contents(report, found.contents)
    return report


def _check_subjects(report: Report, statement: Statement, kit: Kit) -> None:
    first, *others = statement.subjects
    _compare(report, first, kit.sha256, f"{kit.sha256}, the bytes of this kit")
    if kit.contents is None:
        report.unchecked("other subjects", "the kit cannot be read")
        return
    if first.name != f"{kit.contents.root}.tar.gz":
        report.fails(f"subject {first.name}", f"this kit unpacks to {kit.contents.root}/")
    named = {subject.name: subject for subject in others}
    for name in (SUMS, WEIGHT_SUMS):
        if name not in named:
            report.fails(f"subject {name}", "the receipt does not name it")
    for subject in others:
        _check_list(report, subject, kit.contents.lists)


def _check_list(report: Report, subject: Subject, lists: dict[str, bytes]) -> None:
    if subject.name not in {SUMS, WEIGHT_SUMS}:
        report.fails(f"subject {subject.name}", "nothing in a kit to compare it with")
    elif subject.name not in lists:
        report.fails(f"subject {subject.name}", "missing from the kit")
    else:
        digest = hashlib.sha256(lists[subject.name]).hexdigest()
        _compare(report, subject, digest, digest)


def _compare(report: Report, subject: Subject, digest: str, detail: str) -> None:
    if subject.sha256 == digest:
        report.holds(f"subject {subject.name}", f"sha256 {detail}")
    else:
        said = f"the receipt says {subject.sha256}, the kit has {digest}"
        report.fails(f"subject {subject.name}", said)


def _check_size(report: Report, statement: Statement, kit: Kit) -> None:
    about = statement.predicate.get("kit")
    size = about.get("size") if isinstance(about, dict) else None
    # A bool is an int to isinstance, and 1.0 equals 1.
    if type(size) is not int:
        report.fails("size", "predicate.kit.size: must be a whole number of bytes")
    elif size != kit.size:
        report.fails("size", f"the receipt says {size} bytes, this kit has {kit.size}")
    else:
        report.holds("size", f"{size} bytes")
