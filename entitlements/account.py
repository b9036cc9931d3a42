"""What a member may see: their entities' purchases and kits, and nobody else's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from catalog.models import PackageVersion
from entitlements.doors import Doors
from entitlements.models import BuyerReceipt, Download, Purchase
from entitlements.signature_validity import EXPIRED, with_expiry
from entitlements.terms_asked import SIGN_FIRST
from licensing.access import entities_to_sign_for
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
    def waits_for_terms(self) -> bool:
        """Whether signing newer terms is all that is missing."""
        return self.closed_because.endswith(SIGN_FIRST)

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
        .select_related(
            "package",
            "version__kit",
            "version__package",
            "entity",
            "signature__terms",
            "entitlement",
        )
        .distinct()
    )


def is_finance(user: User) -> bool:
    """Whether somebody is staff that may read the payments of every entity."""
    return user.is_active and user.is_staff and user.has_perm("entitlements.view_payment")


def may_pay(user: User, purchase: Purchase) -> bool:
    """Whether somebody may spend the entity's money: who may bind it."""
    return entities_to_sign_for(user).filter(pk=purchase.entity_id).exists()


def may_take_evidence(user: User, purchase: Purchase) -> bool:
    """Whether somebody may have a purchase's evidence: who may bind its entity, and finance."""
    return is_finance(user) or may_pay(user, purchase)


def signatures_of(user: User) -> QuerySet[LicenceSignature]:
    """The signatures of the entities that a person is a member of."""
    return LicenceSignature.objects.filter(entity__members__user=user).select_related(
        "package", "entity", "terms"
    )


def unused_signatures(user: User) -> QuerySet[LicenceSignature]:
    """Signatures of a person's entities that no purchase was made with, each with its expiry.

    One that expired is among them until the entity has signed for the package again.
    """
    later = LicenceSignature.objects.filter(
        entity=OuterRef("entity"), package=OuterRef("package"), position__gt=OuterRef("position")
    )
    unused = with_expiry(signatures_of(user).filter(purchase__isnull=True, additional__isnull=True))
    return unused.exclude(Q(EXPIRED) & Exists(later))


def versions_of(purchases: Collection[Purchase]) -> list[list[OpenVersion]]:
    """For each paid purchase every version of its package, newest first, open or closed.

    Seven queries, however many purchases there are.
    """
    versions = PackageVersion.objects.filter(
        Q(state=PackageVersion.State.PUBLISHED)
        | Q(pk__in={purchase.version_id for purchase in purchases}),
        package__in={purchase.package_id for purchase in purchases},
    ).select_related("kit", "package", "benchmark_receipt")
    entitlements = [purchase.entitlement for purchase in purchases]
    doors = Doors.read(entitlements=entitlements, versions=versions)
    newest: dict[tuple[UUID, int], BuyerReceipt] = {}
    for each in BuyerReceipt.objects.filter(entitlement__in=entitlements).select_related(
        "receipt__key"
    ):
        newest.setdefault((each.entitlement_id, each.version_id), each)
    return [
        [
            OpenVersion(
                version=version,
                closed_because=doors.closed_because(
                    entitlement=purchase.entitlement, version=version
                ),
                buyer_receipt=newest.get((purchase.entitlement.pk, version.pk)),
            )
            for version in versions
            if _is_shown(version, purchase)
        ]
        for purchase in purchases
    ]


def _is_shown(version: PackageVersion, purchase: Purchase) -> bool:
    # What a buyer bought stays in sight when it is withdrawn; what others bought does not.
    on_sale = version.state == PackageVersion.State.PUBLISHED
    return version.pk == purchase.version_id or (
        on_sale and version.package_id == purchase.package_id
    )


def downloads_of(purchase: Purchase) -> QuerySet[Download]:
    """The delivery log of a purchase, newest first."""
    return Download.objects.filter(entitlement=purchase.entitlement).select_related("version")
