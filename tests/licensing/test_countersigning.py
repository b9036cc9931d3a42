"""Each signature has the store's countersignature: a receipt that a stranger can check."""

from __future__ import annotations

import json

import pytest
from django.db import IntegrityError, transaction
from touchstone.envelope import verify_envelope
from touchstone.keys import parse_keys
from touchstone.statement import LICENCE_RECEIPT, parse_statement

from catalog.models import PackageVersion
from licensing.models import LicenceReceipt, LicenceSignature, LicenceTerms, LicensedEntity, User
from licensing.signing import EntityDetails, SigningRefused
from receipts.keys import keys_document
from tests.shop import TERMS, retire, sign


def test_the_receipt_says_who_agreed_to_which_text(signature: LicenceSignature) -> None:
    receipt = signature.countersigned.receipt
    payload = verify_envelope(bytes(receipt.envelope), parse_keys(keys_document())).payload
    statement = parse_statement(payload)
    assert statement.predicate_type == LICENCE_RECEIPT
    assert statement.subjects[0].name == TERMS.name
    assert statement.subjects[0].sha256 == signature.terms_sha256
    said = json.loads(payload)["predicate"]
    assert said["entity"]["legal_name"] == "Meridian Labs GmbH"
    assert (said["signer"]["name"], said["signer"]["title"]) == (
        "Ada Okafor",
        "Chief Technology Officer",
    )
    assert [each["affirmed"] for each in said["affirmations"]] == [True] * 4
    assert [each["text"].encode() in TERMS.read_bytes() for each in said["affirmations"]] == [
        True
    ] * 4
    assert said["chain"]["digest"] == signature.digest


def test_network_evidence_is_no_part_of_the_receipt(signature: LicenceSignature) -> None:
    payload = signature.countersigned.receipt.payload
    assert b"203.0.113.9" not in payload
    assert b"a browser" not in payload


def test_without_a_key_nothing_is_signed(
    owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    retire("licence")
    details = EntityDetails(legal_name="New Company", country="DE", address="Somewhere 1")
    with pytest.raises(SigningRefused, match="nothing was signed"), transaction.atomic():
        sign(account=owner, version=published, entity=details, terms=terms)
    assert not LicenceSignature.objects.exists()
    assert not LicensedEntity.objects.filter(legal_name="New Company").exists()


def test_a_receipt_of_another_signature_is_refused_by_postgres(
    signature: LicenceSignature,
    owner: User,
    published: PackageVersion,
    entity: LicensedEntity,
    terms: LicenceTerms,
) -> None:
    other = sign(account=owner, version=published, entity=entity, terms=terms)
    receipt = signature.countersigned.receipt
    with pytest.raises(IntegrityError, match="is not of signature"), transaction.atomic():
        LicenceReceipt.objects.create(signature=other, receipt=receipt)
    benchmark = published.benchmark_receipt
    assert benchmark is not None
    with pytest.raises(IntegrityError, match="is not of signature"), transaction.atomic():
        LicenceReceipt.objects.create(signature=signature, receipt=benchmark)
