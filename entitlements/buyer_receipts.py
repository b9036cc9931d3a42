from __future__ import annotations

from django.db import IntegrityError, transaction
from touchstone.statement import BUYER_RECEIPT

from catalog.models import PackageVersion
from catalog.statements import kit_subjects
from entitlements.buyer_statements import buyer_predicate
from entitlements.models import BuyerReceipt, Entitlement
from receipts.models import Receipt, SigningKey
from receipts.signing import sign_receipt


def current_receipt(*, entitlement: Entitlement, version: PackageVersion) -> BuyerReceipt | None:
    """The buyer receipt that holds: by a key that does, about the version's receipt of today."""
    held = BuyerReceipt.objects.filter(
        entitlement=entitlement, version=version, benchmark_receipt=version.benchmark_receipt_id
    )
    return held.exclude(receipt__key__status=SigningKey.Status.REVOKED).first()


def ensure_buyer_receipt(*, entitlement: Entitlement, version: PackageVersion) -> BuyerReceipt:
    """The buyer receipt that holds, signed now if there is none.

    Raises SigningKey.DoesNotExist and PrivateKeyError.
    """
    found = current_receipt(entitlement=entitlement, version=version)
    try:
        with transaction.atomic():
            if found is not None:
                return found
            former = BuyerReceipt.objects.filter(entitlement=entitlement, version=version)
            return issue_buyer_receipt(
                entitlement=entitlement, version=version, former=former.first()
            )
    except IntegrityError:
        # Race: another worker was faster, and Postgres lets one at a time hold.
        found = current_receipt(entitlement=entitlement, version=version)
        if found is None:
            raise
        return found


def issue_buyer_receipt(
    *, entitlement: Entitlement, version: PackageVersion, former: BuyerReceipt | None = None
) -> BuyerReceipt:
    """Sign what a buyer got and reveal what the benchmark receipt only commits to.

    One that follows a `former` one names it, for the version was signed anew or a key was revoked.
    Raises SigningKey.DoesNotExist and PrivateKeyError.
    """
    kit, benchmark = version.kit, version.benchmark_receipt
    if kit is None or benchmark is None:
        raise ValueError(f"version {version.version} is not sealed")
    receipt = sign_receipt(
        kind=Receipt.Kind.BUYER,
        subjects=kit_subjects(
            name=version.kit_name,
            kit=kit.sha256,
            sums=kit.sums_sha256,
            weights=kit.weights_sha256,
        ),
        predicate_type=BUYER_RECEIPT,
        predicate=buyer_predicate(
            entitlement=entitlement,
            version=version,
            benchmark=benchmark,
            replaces=former.receipt if former else None,
        ),
    )
    return BuyerReceipt.objects.create(
        entitlement=entitlement, version=version, benchmark_receipt=benchmark, receipt=receipt
    )
