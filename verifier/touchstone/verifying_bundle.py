"""An evidence bundle by itself: what was agreed, paid and delivered, checked without the store."""

import hashlib
from pathlib import Path

from touchstone.agreeing import compare
from touchstone.bundle import Bundle, read_bundle
from touchstone.bundle_licence import SIGNATURE, TERMS, check_licence
from touchstone.bundle_newer_terms import check_newer_terms
from touchstone.bundle_records import LOG, PAYMENTS, check_downloads, check_payments
from touchstone.bundle_versions import check_versions
from touchstone.checksums import parse_sums
from touchstone.envelope import SignatureError, parse_envelope, verify_envelope
from touchstone.errors import TouchstoneError
from touchstone.keys import PublicKey, parse_keys
from touchstone.report import Report
from touchstone.root import KEYS_TYPE, parse_root, verify_keys

SUMS = "SHA256SUMS"
KEYS = "keys.json"
ROOT_FILES = ("keys.dsse.json", "root.json", "keys.sig", "root.pem")
_ALWAYS = {"README.md", SUMS, TERMS, SIGNATURE, PAYMENTS, *LOG, KEYS}
_ENDINGS = ("json", "payload", "sig", "pem")


def verify_bundle(*, bundle: Path, keys: bytes) -> Report:
    """Check a bundle: its sums, every signature, and that all of it is about one agreement.

    `keys` is a key document that the caller trusts: the one in the bundle proves nothing by
    itself. Input that can be read and is malformed does not hold. Raises OSError.
    """
    report = Report()
    try:
        found = read_bundle(bundle)
    except TouchstoneError as error:
        report.fails("bundle", str(error))
        return report
    _check_sums(report, found)
    _check_keys(report, found)
    licence = check_licence(report, found, keys)
    newer = check_newer_terms(report, found, keys, licence)
    kits = check_versions(report, found, keys, licence)
    for name in found.receipts:
        _check_beside(report, found, name)
    check_payments(report, found, licence, newer)
    check_downloads(report, found, kits)
    return report


def _check_sums(report: Report, bundle: Bundle) -> None:
    try:
        listed = parse_sums(bundle.files.get(SUMS, b""))
    except TouchstoneError as error:
        report.fails(SUMS, str(error))
        return
    there = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in bundle.files.items()
        if name != SUMS
    }
    if odd := sorted(there.keys() ^ listed.keys()):
        report.fails(SUMS, f"in only one of list and bundle: {odd[0]}")
    elif changed := [name for name in sorted(there) if there[name] != listed[name]]:
        report.fails(SUMS, f"{changed[0]} is not what the list says")
    else:
        report.holds(SUMS, f"all {len(there)} files")
    _check_names(report, bundle)


def _check_names(report: Report, bundle: Bundle) -> None:
    meant = _ALWAYS | {f"{name}.{ending}" for name in bundle.receipts for ending in _ENDINGS}
    meant |= {f"{at}{name}" for at in bundle.newer_terms for name in (TERMS, SIGNATURE)}
    if lost := sorted(meant - bundle.files.keys()):
        report.fails("files", f"{lost[0]} is missing")
    known = {f"versions/{version}" for version in bundle.versions}
    for name in sorted(bundle.files.keys() - meant - set(ROOT_FILES)):
        if not (name.endswith(".bound") and name.rpartition("/")[0] in known):
            report.fails("files", f"nothing to compare {name} with")


def _check_keys(report: Report, bundle: Bundle) -> None:
    # Readable, and signed by the root that lies beside them, if there is one.
    there = [bundle.files.get(name) for name in ROOT_FILES]
    try:
        found = parse_keys(bundle.files.get(KEYS, b""))
        if there == [None] * len(there):
            report.holds("keys of the bundle", f"{len(found)}, signed by no root")
            return
        signed, document, signature, pem = (each or b"" for each in there)
        root = parse_root(document)
        pairs: dict[str, tuple[object, object]] = {
            "what the root signed": (verify_keys(signed, root).raw, bundle.files[KEYS]),
            "keys.sig": (parse_envelope(signed, payload_type=KEYS_TYPE).signature, signature),
            "root.pem": (PublicKey(root).pem.encode(), pem),
        }
    except TouchstoneError as error:
        report.fails("keys of the bundle", str(error))
    else:
        compare(report, "keys of the bundle", pairs)


def _check_beside(report: Report, bundle: Bundle, name: str) -> None:
    # The parts of a receipt that lie beside it, for openssl, are its own.
    part = f"{name} beside"
    try:
        envelope = parse_envelope(bundle.files.get(f"{name}.json", b""))
        pem = bundle.files.get(f"{name}.pem")
        signers = [
            key for key in parse_keys(bundle.files.get(KEYS, b"")) if key.pem.encode() == pem
        ]
        verify_envelope(bundle.files[f"{name}.json"], signers)
    except SignatureError as error:
        report.fails(part, f"{name}.pem: {error}")
        return
    except TouchstoneError as error:
        report.fails(part, str(error))
        return
    compare(
        report,
        part,
        {
            "payload": (bundle.files.get(f"{name}.payload"), envelope.payload),
            "sig": (bundle.files.get(f"{name}.sig"), envelope.signature),
        },
    )
