"""Newer terms in an evidence bundle: each that was signed is there, and none is believed unread."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from touchstone.report import Report
from touchstone.verifying_bundle import verify_bundle

from catalog.models import Package
from entitlements.agreeing import bind_newer_terms
from entitlements.evidence.bundling import build_bundle
from entitlements.models import AdditionalSignature, Purchase
from entitlements.outbox import run_due
from licensing.models import LicenceSignature, LicenceTerms, User
from licensing.publishing_terms import publish_text
from receipts.keys import keys_document
from tests.entitlements.bundles import Files, edit, move, put, repack, unpack
from tests.shop import TERMS, next_version, sign

# Stands for the folder in what follows: its name ends with a place in the chain.
NEWER = "NEWER/"


@pytest.fixture
def newer(evidence: Purchase) -> LicenceTerms:
    """Terms that were published after the purchase."""
    return publish_text(body=TERMS.read_bytes().replace(b"Version: 1.0", b"Version: 1.1"))[0]


@pytest.fixture
def agreed(evidence: Purchase, newer: LicenceTerms, owner: User) -> Purchase:
    """The purchase, with a signature of the newer terms bound to it."""
    bind(evidence, newer, owner)
    return evidence


def bind(purchase: Purchase, terms: LicenceTerms, owner: User) -> LicenceSignature:
    made = sign(account=owner, version=purchase.version, entity=purchase.entity, terms=terms)
    bind_newer_terms(entitlement=purchase.entitlement, signature=made)
    return made


@pytest.fixture
def bundle(agreed: Purchase, tmp_path: Path) -> Path:
    """Its bundle as an owner downloads it."""
    path = tmp_path / "evidence.tar.gz"
    path.write_bytes(build_bundle(agreed))
    return path


def check(path: Path) -> Report:
    return verify_bundle(bundle=path, keys=keys_document())


def folder(signature: LicenceSignature) -> str:
    return f"newer-terms/{signature.terms}-{signature.position}/".replace(" ", "-")


def failed(bundle: Path, change: Callable[[Files], object]) -> dict[str, str]:
    """What does not hold after a change, with NEWER for the folder in names."""
    real = folder(AdditionalSignature.objects.get().signature)

    def apply(files: Files) -> None:
        _rename(files, real, NEWER)
        change(files)
        _rename(files, NEWER, real)

    report = check(repack(bundle, bundle.read_bytes(), apply))
    assert report.exit_code == 1
    return {each.name.replace(real, NEWER): each.detail for each in report.failures}


def _rename(files: Files, old: str, new: str) -> None:
    for name in [name for name in files if name.startswith(old)]:
        files[new + name.removeprefix(old)] = files.pop(name)


def test_two_signatures_of_one_text_have_a_folder_each(
    agreed: Purchase, newer: LicenceTerms, owner: User, bundle: Path
) -> None:
    second = bind(agreed, newer, owner)
    bundle.write_bytes(build_bundle(agreed))
    _, files = unpack(bundle.read_bytes())
    folders = {name.rpartition("/")[0] for name in files if name.startswith("newer-terms/")}
    both = {folder(each.signature) for each in AdditionalSignature.objects.all()}
    assert {f"{each}/" for each in folders} == both
    at = folder(second)
    assert hashlib.sha256(files[f"{at}signature.json"]).hexdigest() == second.digest
    assert hashlib.sha256(files[f"{at}terms.md"]).hexdigest() == newer.sha256
    report = check(bundle)
    assert (report.outcome, report.failures) == ("holds", [])
    assert {f"{at}licence", f"{at}signature record"} < {each.name for each in report.checks}


def test_a_version_that_they_opened_holds_under_the_purchases_own_signature(
    agreed: Purchase, package_folder: Path, bundle: Path
) -> None:
    next_version(package_folder)
    run_due()
    bundle.write_bytes(build_bundle(agreed))
    report = check(bundle)
    assert report.outcome == "holds"
    assert "1.1.0 licence" in {each.name for each in report.checks}


def test_more_signatures_and_versions_ask_no_more_queries(
    agreed: Purchase, newer: LicenceTerms, owner: User, package_folder: Path
) -> None:
    with CaptureQueriesContext(connection) as few:
        build_bundle(Purchase.objects.get())
    bind(agreed, newer, owner)
    next_version(package_folder)
    run_due()
    with CaptureQueriesContext(connection) as more:
        build_bundle(Purchase.objects.get())
    assert len(more) == len(few) <= 24


def repeat(files: Files) -> None:
    """Show the purchase's own licence as one of newer terms."""
    move("licence-receipt", f"{NEWER}licence-receipt")(files)
    for name in ("terms.md", "signature.json"):
        files[f"{NEWER}{name}"] = files[name]


LIES: dict[str, tuple[Callable[[Files], object], str, str]] = {
    "other terms": (put(f"{NEWER}terms.md", b"# Free\n"), f"{NEWER}terms", "digest"),
    "another signer": (
        edit(f"{NEWER}signature.json", lambda d: d.update(signer_name="Eve")),
        f"{NEWER}signature record",
        "signer_name",
    ),
    "another digest": (
        lambda files: put(f"{NEWER}signature.json", files[f"{NEWER}signature.json"] + b" ")(files),
        f"{NEWER}signature digest",
        "record and receipt",
    ),
    "no text": (lambda files: files.pop(f"{NEWER}terms.md"), "files", "is missing"),
    "no record": (lambda files: files.pop(f"{NEWER}signature.json"), "files", "is missing"),
    "a buyer receipt": (
        move("versions/1.0.0/buyer-receipt", f"{NEWER}licence-receipt"),
        f"{NEWER}licence signature",
        "for buyer receipts",
    ),
    "another payload beside": (
        put(f"{NEWER}licence-receipt.payload", b"{}"),
        f"{NEWER}licence-receipt beside",
        "payload",
    ),
    "a file more": (put(f"{NEWER}more.md", b"x"), "files", "nothing to compare"),
    "another folder": (
        lambda files: _rename(files, NEWER, "newer-terms/x/"),
        "newer-terms/x/licence",
        "folder",
    ),
    "its own again": (repeat, f"{NEWER}signature", "the purchase was made"),
    "left out": (
        lambda files: [files.pop(n) for n in list(files) if n.startswith(NEWER)],
        "payments",
        "newer terms",
    ),
    "not entered": (
        edit("payments.json", lambda d: d["newer_terms"].pop()),
        "payments",
        "newer terms",
    ),
    "no list": (edit("payments.json", lambda d: d.pop("newer_terms")), "payments", "newer terms"),
    "a list of words": (
        edit("payments.json", lambda d: d["newer_terms"].append("x")),
        "payments",
        "newer terms",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_named(bundle: Path, lie: str) -> None:
    change, name, said = LIES[lie]
    assert said in failed(bundle, change)[name]


def instead(signature: LicenceSignature) -> Callable[[Files], None]:
    """Put another signature's licence receipt in the place of the newer terms'."""
    return put(f"{NEWER}licence-receipt.json", bytes(signature.countersigned.receipt.envelope))


def test_another_entitys_or_packages_licence_does_not_count(
    bundle: Path, agreed: Purchase, newer: LicenceTerms, outsider: User, owner: User
) -> None:
    theirs = outsider.memberships.get().entity
    foreign = sign(account=outsider, version=agreed.version, entity=theirs, terms=newer)
    assert "entity: " in failed(bundle, instead(foreign))[f"{NEWER}licence"]
    elsewhere = sign(
        account=owner,
        version=agreed.version,
        entity=agreed.entity,
        terms=newer,
        package=Package.objects.create(slug="other"),
    )
    assert "package: " in failed(bundle, instead(elsewhere))[f"{NEWER}licence"]


def test_a_purchase_without_them_says_nothing_of_them(evidence: Purchase) -> None:
    _, files = unpack(build_bundle(evidence))
    assert json.loads(files["payments.json"])["newer_terms"] == []
    assert re.findall(r"newer", files["README.md"].decode()) == []
