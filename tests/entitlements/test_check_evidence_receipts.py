"""What `check_evidence` says where the store's own key signed something else."""

# ruff: noqa: S608 -- the statements are made of the test's own names and values
from __future__ import annotations

from pathlib import Path

import pytest
from touchstone.statement import BENCHMARK_RECEIPT, LICENCE_RECEIPT, Subject, parse_statement

from catalog.publishing import publish_version
from entitlements.evidence.checking import check_evidence
from entitlements.evidence.walking import EvidenceBroken
from entitlements.models import Purchase
from receipts.models import Receipt
from receipts.signing import sign_receipt
from tests.catalog.importing import put, result
from tests.evidence import tamper

RECEIPT, LICENCE = "receipts_receipt", "licensing_licencereceipt"


def test_a_licence_receipt_of_another_text_is_named(as_owner: None, evidence: Purchase) -> None:
    former = evidence.signature.countersigned.receipt
    made = sign_receipt(
        kind=Receipt.Kind.LICENCE,
        subjects=[Subject("enterprise-1.0.md", "0" * 64)],
        predicate_type=LICENCE_RECEIPT,
        predicate=parse_statement(former.payload).predicate,
    )
    tamper(LICENCE, f"UPDATE {LICENCE} SET receipt_id = {made.pk}")
    tamper(RECEIPT, f"DELETE FROM {RECEIPT} WHERE id = {former.pk}")
    with pytest.raises(EvidenceBroken, match="its subject is not the text that was signed"):
        check_evidence(say=print)


def test_a_receipt_of_another_kind_than_its_key_is_named(
    as_owner: None, evidence: Purchase
) -> None:
    sign_receipt(
        kind=Receipt.Kind.BUYER,
        subjects=[Subject("kit.tar.gz", "0" * 64)],
        predicate_type=BENCHMARK_RECEIPT,
        predicate={},
    )
    with pytest.raises(EvidenceBroken, match="what was signed is no buyer receipt"):
        check_evidence(say=print)


def test_a_raw_file_that_is_gone_is_named(as_owner: None, keys: None, package_folder: Path) -> None:
    put(package_folder, result("vllm-full"))
    publish_version(folder=package_folder)
    assert check_evidence(say=print)["receipts_rawfile"] == 1
    tamper("receipts_rawfile", "DELETE FROM receipts_rawfile")
    with pytest.raises(EvidenceBroken, match=r"its raw file [0-9a-f]{64} is gone"):
        check_evidence(say=print)
