"""Licence terms, the chain of signatures, and the receipts that countersign them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from django.db.models import Exists, OuterRef
from django.db.models.expressions import RawSQL

from entitlements.evidence.vouching import statement_of
from entitlements.evidence.walking import Table
from licensing.chain import RECORD
from licensing.countersigning import LicencePredicate, licence_predicate
from licensing.models import LicenceReceipt, LicenceSignature, LicenceTerms
from licensing.terms_text import AFFIRMATIONS, TermsError, parse_header
from receipts.models import Receipt

DIGEST = RawSQL("licensing_signature_digest(licensing_licencesignature)", [])


def agreeing() -> list[Table]:
    """Terms, signatures in the order of their chain, licence receipts."""
    signatures = LicenceSignature.objects.select_related("terms").annotate(
        record=RECORD,
        said_by_postgres=DIGEST,
        is_countersigned=Exists(LicenceReceipt.objects.filter(signature=OuterRef("pk"))),
    )
    receipts = LicenceReceipt.objects.select_related(
        "receipt__key", "signature__terms", "signature__package"
    )
    return [
        Table(rows=LicenceTerms.objects.order_by("pk"), problems=_terms),
        Table(rows=signatures.order_by("position"), problems=_Chain().problems),
        Table(rows=receipts.order_by("pk"), problems=_licence_receipt),
    ]


def _terms(terms: LicenceTerms) -> Iterator[str]:
    if hashlib.sha256(bytes(terms.body)).hexdigest() != terms.sha256:
        yield "the digest is not of its text"
    try:
        header = parse_header(terms.text)
    except TermsError as error:
        yield str(error)
        return
    if (header.family, header.version, header.title) != (terms.family, terms.version, terms.title):
        yield "its text names another family, version or title"


class _Chain:
    """Asks each signature in turn, and knows the digest of the one before."""

    def __init__(self) -> None:
        self._before = ""

    def problems(self, signature: LicenceSignature) -> Iterator[str]:
        """What does not hold of the next signature."""
        before, self._before = self._before, signature.digest
        if signature.previous_digest != before:
            yield "the chain is broken before it: a signature was changed, added or taken out"
        yield from _digest(signature)
        if hashlib.sha256(bytes(signature.terms_body)).hexdigest() != signature.terms_sha256:
            yield "the digest of the terms is not of the text as signed"
        if signature.terms_sha256 != signature.terms.sha256:
            yield "it signs another text than the published one"
        for key in AFFIRMATIONS:
            sentence = str(getattr(signature, f"{key}_text"))
            if sentence.encode() not in bytes(signature.terms_body):
                yield f"the affirmation {key} is no sentence of the text"
            if not getattr(signature, f"{key}_affirmed"):
                yield f"the affirmation {key} is not marked"
        if not (signature.authority_affirmed and signature.consent_given):
            yield "the authority or the consent is not marked"
        if not vars(signature)["is_countersigned"]:
            yield "its licence receipt is gone"


def _digest(signature: LicenceSignature) -> Iterator[str]:
    # Two ways, for whoever can change the row can also replace the function.
    record: str = vars(signature)["record"]
    if hashlib.sha256(record.encode()).hexdigest() != signature.digest:
        yield "the row is not what its digest was made of"
    if vars(signature)["said_by_postgres"] != signature.digest:
        yield "licensing_signature_digest gives another digest"


def _licence_receipt(row: LicenceReceipt) -> Iterator[str]:
    receipt, signature = row.receipt, row.signature
    if receipt.kind != Receipt.Kind.LICENCE:
        yield "its receipt is no licence receipt"
    signed = statement_of(receipt)
    if [subject.sha256 for subject in signed.subjects] != [signature.terms_sha256]:
        yield "its subject is not the text that was signed"
    said = LicencePredicate.model_validate_json(json.dumps(signed.predicate))
    meant = licence_predicate(signature)
    for name in LicencePredicate.model_fields:
        if getattr(said, name) != getattr(meant, name):
            yield f"the receipt and the signature differ in {name}"
