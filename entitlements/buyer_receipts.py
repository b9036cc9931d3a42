from __future__ import annotations

from typing import Any

from touchstone.statement import BUYER_RECEIPT

from catalog.models import PackageVersion
from catalog.statements import kit_subjects
from entitlements.models import BuyerReceipt, Entitlement
from receipts.models import Receipt
from receipts.signing import sign_receipt


def issue_buyer_receipt(*, entitlement: Entitlement, version: PackageVersion) -> BuyerReceipt:
    """Sign what a buyer got and reveal what the benchmark receipt only commits to.

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
        predicate=_predicate(entitlement=entitlement, version=version, benchmark=benchmark),
    )
    return BuyerReceipt.objects.create(entitlement=entitlement, version=version, receipt=receipt)


def _predicate(
    *, entitlement: Entitlement, version: PackageVersion, benchmark: Receipt
) -> dict[str, Any]:
    signature = entitlement.signature
    return {
        "benchmark_receipt": {"sha256": benchmark.payload_sha256},
        "package": {"slug": version.package.slug, "version": version.version},
        "entity": {"id": str(signature.entity_id), "legal_name": signature.entity_legal_name},
        "purchase": str(entitlement.purchase_id),
        "signature": {"id": str(signature.pk), "sha256": signature.digest},
        "terms": {
            "family": signature.terms.family,
            "version": signature.terms.version,
            "sha256": signature.terms_sha256,
        },
        "granted_at": entitlement.granted_at.isoformat(),
        "revealed": {
            withheld.name: {
                "salt": bytes(withheld.salt).hex(),
                "content": bytes(withheld.content).decode(),
            }
            for withheld in version.withheld.order_by("name")
        },
    }
