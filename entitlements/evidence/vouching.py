"""Keys, receipts and raw files: each is its bytes, and each signature is of its key."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.db.models import Exists, OuterRef
from touchstone.envelope import verify_envelope
from touchstone.keys import PublicKey, thumbprint
from touchstone.root import verify_keys
from touchstone.statement import PURPOSES, Statement, parse_statement

from entitlements.evidence.walking import Table
from entitlements.models import BuyerReceipt
from licensing.models import LicenceReceipt
from receipts.models import RawFile, Receipt, SignedKeys, SigningKey

# At most 16 MiB each.
FILES_AT_A_TIME = 2


def vouching() -> list[Table]:
    """Keys, what the root signed, receipts, raw files."""
    receipts = Receipt.objects.select_related("key").annotate(
        of_a_licence=Exists(LicenceReceipt.objects.filter(receipt=OuterRef("pk"))),
        of_a_buyer=Exists(BuyerReceipt.objects.filter(receipt=OuterRef("pk"))),
    )
    return [
        Table(rows=SigningKey.objects.order_by("pk"), problems=_key),
        Table(rows=SignedKeys.objects.order_by("pk"), problems=_signed_keys),
        Table(rows=receipts.order_by("pk"), problems=_receipt),
        Table(rows=RawFile.objects.order_by("pk"), problems=_raw_file, chunk=FILES_AT_A_TIME),
    ]


def statement_of(receipt: Receipt) -> Statement:
    """What a receipt says, if its own key signed it. Raises TouchstoneError, ValueError.

    A key that was revoked later vouches for nothing, but that it signed these bytes is a fact.
    """
    key = receipt.key.as_public_key()
    plain = PublicKey(key.key, purpose=key.purpose)
    return parse_statement(
        verify_envelope(bytes(receipt.envelope), [plain], purpose=receipt.kind).payload
    )


def _key(key: SigningKey) -> Iterator[str]:
    if thumbprint(key.as_public_key().key) != key.kid:
        yield "the id is not the thumbprint of its public key"


def _signed_keys(signed: SignedKeys) -> Iterator[str]:
    verified = verify_keys(bytes(signed.envelope), signed.root)
    if hashlib.sha256(verified.raw).hexdigest() != signed.payload_sha256:
        yield "the digest is not of its bytes"
    if verified.document.sequence != signed.sequence:
        yield "the sequence is not the one that the root signed"
    for key in verified.document.keys:
        if not SigningKey.objects.filter(pk=key.kid, purpose=key.purpose).exists():
            yield f"the root signed key {key.kid} for {key.purpose}, and it is gone"


def _receipt(receipt: Receipt) -> Iterator[str]:
    statement = statement_of(receipt)
    if hashlib.sha256(receipt.payload).hexdigest() != receipt.payload_sha256:
        yield "the digest is not of its payload"
    if statement.subjects[0].sha256 != receipt.subject_sha256:
        yield "the subject is not the one that was signed"
    if PURPOSES.get(statement.predicate_type) != receipt.kind:
        yield f"what was signed is no {receipt.get_kind_display()}"
    used = {"licence": "of_a_licence", "buyer": "of_a_buyer"}.get(receipt.kind)
    if used and not getattr(receipt, used):
        yield f"the row that this {receipt.get_kind_display()} was signed for is gone"


def _raw_file(file: RawFile) -> Iterator[str]:
    if hashlib.sha256(bytes(file.content)).hexdigest() != file.sha256:
        yield "the digest is not of its bytes"
