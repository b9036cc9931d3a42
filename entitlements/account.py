"""What a member may see: their entities' purchases and kits, and nobody else's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q

from catalog.models import PackageVersion
from entitlements.doors import closed_because
from entitlements.models import BuyerReceipt, Download, Purchase
from licensing.models import LicenceSignature, User
from receipts.models import SigningKey

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True, kw_only=True)
class OpenVersion:
    """A version of a bought package, and why it is closed ("" when it is open)."""

    version: PackageVersion
    closed_because: str
    buyer_receipt: BuyerReceipt | None  # the newest

    @property
    def receipt_is_current(self) -> bool:
        """Whether the buyer receipt is by a key that holds, about today's benchmark receipt."""
        newest = self.buyer_receipt
        return (
            newest is not None
            and newest.receipt.key.status != SigningKey.Status.REVOKED
            and newest.benchmark_receipt_id == self.version.benchmark_receipt_id
        )


def purchases_of(user: User) -> QuerySet[Purchase]:
    """The purchases of the entities that a person is a member of."""
    return (
        Purchase.objects.filter(entity__members__user=user)
        .select_related("package", "version__kit", "version__package", "entity", "signature__terms")
        .distinct()
    )


def signatures_of(user: User) -> QuerySet[LicenceSignature]:
    """The signatures of the entities that a person is a member of."""
    return LicenceSignature.objects.filter(entity__members__user=user).select_related(
        "package", "entity", "terms"
    )


def unused_signatures(user: User) -> QuerySet[LicenceSignature]:
    """Signatures of a person's entities that no purchase was made with."""
    return signatures_of(user).filter(purchase__isnull=True)


def versions_of(purchase: Purchase) -> list[OpenVersion]:
    """Every version of the package, newest first, with whether this purchase opens it."""
    versions = PackageVersion.objects.filter(
        Q(state=PackageVersion.State.PUBLISHED) | Q(pk=purchase.version_id),
        package_id=purchase.package_id,
    ).select_related("kit", "package", "benchmark_receipt")
    newest: dict[int, BuyerReceipt] = {}
    for each in purchase.entitlement.buyer_receipts.select_related("receipt__key"):
        newest.setdefault(each.version_id, each)
    return [
        OpenVersion(
            version=version,
            closed_because=closed_because(entitlement=purchase.entitlement, version=version),
            buyer_receipt=newest.get(version.pk),
        )
        for version in versions
    ]


def downloads_of(purchase: Purchase) -> QuerySet[Download]:
    """The delivery log of a purchase, newest first."""
    return Download.objects.filter(entitlement=purchase.entitlement).select_related("version")
