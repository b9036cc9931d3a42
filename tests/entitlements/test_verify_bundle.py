"""`touchstone verify --bundle`: a true bundle holds, and each lie in one is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from touchstone.cli import main
from touchstone.report import Report
from touchstone.verifying_bundle import verify_bundle

from entitlements.buyer_receipts import ensure_buyer_receipt
from entitlements.evidence.bundling import build_bundle
from entitlements.models import Purchase
from licensing.models import LicenceTerms, LicensedEntity, User
from receipts.keys import create_key, keys_document
from tests.entitlements.bundles import Files, edit, move, put, repack
from tests.shop import next_version, revoke, sign

V = "versions/1.0.0"


LIES: dict[str, tuple[Callable[[Files], object], str]] = {
    "other terms": (put("terms.md", b"# Free for all\n"), "terms"),
    "no terms": (lambda files: files.pop("terms.md"), "files"),
    "another signer": (edit("signature.json", lambda d: d.update(signer_name="Eve")), "signature"),
    "another payment": (
        edit("payments.json", lambda d: d["payments"][0].update(amount_minor=1)),
        "payments",
    ),
    "another price": (
        edit("payments.json", lambda d: d["purchase"].update(price_minor=True)),
        "payments",
    ),
    "another entity": (
        edit("payments.json", lambda d: d["purchase"].update(entity="other")),
        "payments",
    ),
    "a payment of nothing": (edit("payments.json", lambda d: d.clear()), "payments"),
    "another kit": (
        edit("downloads.json", lambda d: d[0].update(kit_sha256="0" * 64)),
        "download 0",
    ),
    "a line less in the log": (edit("downloads.json", lambda d: d.pop()), "downloads"),
    "another secret": (put(f"{V}/serve_command.bound", b"x"), "1.0.0 serve_command.bound"),
    "another kind of receipt": (
        move(f"{V}/benchmark-receipt", f"{V}/buyer-receipt"),
        "1.0.0 buyer signature",
    ),
    "a buyer receipt as licence": (
        move(f"{V}/buyer-receipt", "licence-receipt"),
        "licence signature",
    ),
    "another payload beside": (put("licence-receipt.payload", b"{}"), "licence-receipt beside"),
    "another key beside": (
        lambda files: files.update({"licence-receipt.pem": files[f"{V}/buyer-receipt.pem"]}),
        "licence-receipt beside",
    ),
    "keys that the root did not sign": (
        edit("keys.json", lambda d: d["keys"].pop()),
        "keys of the bundle",
    ),
    "half of the root": (lambda files: files.pop("root.json"), "keys of the bundle"),
    "a file more": (put("leave-me.txt", b"x"), "files"),
    "no version": (
        lambda files: [files.pop(n) for n in list(files) if n.startswith("versions/")],
        "versions",
    ),
    "a log that is no list": (put("downloads.json", b'{"a": [1]}'), "downloads"),
    "a log of numbers": (put("downloads.csv", b"\xff\0"), "downloads"),
    "a record that is no object": (put("signature.json", b"[" * 5000), "signature record"),
}


def check(path: Path) -> Report:
    return verify_bundle(bundle=path, keys=keys_document())


@pytest.fixture
def bundle(evidence: Purchase, tmp_path: Path) -> Path:
    """The bundle as an owner downloads it."""
    path = tmp_path / "evidence.tar.gz"
    path.write_bytes(build_bundle(evidence))
    return path


def test_a_true_bundle_holds(bundle: Path) -> None:
    report = check(bundle)
    assert report.failures == []
    assert (report.outcome, report.exit_code) == ("holds", 0)


def test_a_bundle_of_two_versions_holds(
    evidence: Purchase, package_folder: Path, tmp_path: Path
) -> None:
    later = next_version(package_folder)
    ensure_buyer_receipt(entitlement=evidence.entitlement, version=later)
    path = tmp_path / "two.tar.gz"
    path.write_bytes(build_bundle(evidence))
    report = check(path)
    assert report.outcome == "holds"
    assert {"1.0.0 licence", "1.1.0 licence"} <= {each.name for each in report.checks}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_named(bundle: Path, lie: str) -> None:
    change, name = LIES[lie]
    report = check(repack(bundle, bundle.read_bytes(), change))
    assert report.exit_code == 1
    assert [each.name for each in report.failures if each.name.startswith(name)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"  README.md", b"  OTHER.md", "in only one of"),
        (b"0", b"1", "is not what the list says"),
        (b"  README.md", b" README.md", "line "),
    ],
)
def test_the_sums_are_compared(bundle: Path, old: bytes, new: bytes, said: str) -> None:
    def change(files: Files) -> None:
        files["SHA256SUMS"] = files["SHA256SUMS"].replace(old, new, 1)

    report = check(repack(bundle, bundle.read_bytes(), change, sums=False))
    assert [
        each.detail for each in report.failures if each.name == "SHA256SUMS" and said in each.detail
    ]


def test_another_purchases_folder_does_not_hold(bundle: Path) -> None:
    root = "evidence-00000000-0000-4000-8000-000000000000"
    report = check(repack(bundle, bundle.read_bytes(), dict, root=root))
    assert {"payments", "1.0.0 buyer receipt"} <= {each.name for each in report.failures}


def test_another_signatures_licence_receipt_does_not_hold(
    bundle: Path, owner: User, evidence: Purchase, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    other = sign(account=owner, version=evidence.version, entity=entity, terms=terms)
    raw = bytes(other.countersigned.receipt.envelope)
    report = check(repack(bundle, bundle.read_bytes(), put("licence-receipt.json", raw)))
    names = {each.name for each in report.failures}
    assert {"signature digest", "signature record", "1.0.0 licence"} <= names
    assert "licence signature" not in names


def test_a_revoked_key_does_not_hold(bundle: Path) -> None:
    revoke("licence")
    create_key(purpose="licence")
    failed = {each.name: each.detail for each in check(bundle).failures}
    assert "revoked" in failed["licence signature"]


def test_the_command_reports_as_its_exit_code(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = tmp_path / "keys.json"
    keys.write_bytes(keys_document())
    assert main(["verify", "--bundle", str(bundle), "--keys", str(keys)]) == 0
    assert "Everything holds" in capsys.readouterr().out
    changed = repack(bundle, bundle.read_bytes(), put("terms.md", b"x"))
    assert main(["verify", "--bundle", str(changed), "--keys", str(keys)]) == 1
    assert main(["verify", "kit.tar.gz", "--bundle", str(bundle), "--keys", str(keys)]) == 2
    assert main(["verify", "kit.tar.gz", "--keys", str(keys)]) == 2
    assert main(["verify", "--bundle", str(tmp_path), "--keys", str(keys)]) == 2
