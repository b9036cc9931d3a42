"""What was signed for a purchase, as files of its bundle: its licence, then newer terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from touchstone.bundle import LICENCE, NEWER_TERMS
from touchstone.envelope import parse_envelope

from entitlements.models import Purchase
from licensing.chain import RECORD, as_the_chain_writes
from licensing.models import LicenceSignature
from receipts.models import Receipt

if TYPE_CHECKING:
    from django.db.models import QuerySet


def newer_signatures(purchase: Purchase) -> QuerySet[LicenceSignature]:
    """The signatures of newer terms that were bound to a purchase, in the order of the chain."""
    return LicenceSignature.objects.filter(additional__entitlement__purchase=purchase)


def newer_folder(signature: LicenceSignature) -> str:
    """The folder of a signature; its place in the chain keeps two of one text apart."""
    terms = signature.terms
    return f"{NEWER_TERMS}/{terms.family}-{terms.version}-{signature.position}/"


@transaction.atomic
def licence_files(purchase: Purchase) -> dict[str, bytes]:
    """Text, record and countersignature of each: one query, however many were signed."""
    as_the_chain_writes()
    files: dict[str, bytes] = {}
    bound = Q(pk=purchase.signature_id) | Q(additional__entitlement__purchase=purchase)
    for each in (
        LicenceSignature.objects.filter(bound)
        .select_related("terms", "countersigned__receipt__key")
        .defer("terms__body")
        .annotate(record=RECORD)
    ):
        at = "" if each.pk == purchase.signature_id else newer_folder(each)
        record: str = vars(each)["record"]
        files[f"{at}terms.md"] = bytes(each.terms_body)
        files[f"{at}signature.json"] = record.encode()
        files |= receipt_files(f"{at}{LICENCE}", each.countersigned.receipt)
    return files


def receipt_files(name: str, receipt: Receipt) -> dict[str, bytes]:
    """The envelope, and beside it what openssl needs of it."""
    envelope = bytes(receipt.envelope)
    parts = parse_envelope(envelope)
    return {
        f"{name}.json": envelope,
        f"{name}.payload": parts.payload,
        f"{name}.sig": parts.signature,
        f"{name}.pem": receipt.key.as_public_key().pem.encode(),
    }
