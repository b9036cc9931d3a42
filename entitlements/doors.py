"""Whether an entitlement opens a version now. Computed from the rows each time it is asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import F, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from catalog.models import PackageVersion
from entitlements.models import Entitlement, Hold, MaintenancePeriod, Subscription
from entitlements.terms_asked import TermsAsked
from licensing.models import Member, User
from receipts.models import Receipt, SigningKey

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True, kw_only=True)
class Doors:
    """The rows that decide, as they were when they were read."""

    holds: dict[UUID, Hold]
    periods: dict[UUID, list[MaintenancePeriod]]
    grace: dict[UUID, datetime]
    revoked: set[int]
    terms: TermsAsked

    @classmethod
    def read(
        cls, *, entitlements: Collection[Entitlement], versions: Collection[PackageVersion]
    ) -> Doors:
        """Read what decides for any of these: six queries, however many they are."""
        holds: dict[UUID, Hold] = {}
        for hold in Hold.objects.filter(
            entitlement__in=entitlements, released_at__isnull=True
        ).order_by("pk"):
            holds.setdefault(hold.entitlement_id, hold)
        periods: dict[UUID, list[MaintenancePeriod]] = {}
        for period in paid_periods().filter(entitlement__in=entitlements):
            periods.setdefault(period.entitlement_id, []).append(period)
        late = Subscription.objects.filter(
            purchase__in=[each.purchase_id for each in entitlements],
            grace_until__gt=timezone.now(),
        )
        revoked = Receipt.objects.filter(
            pk__in=[version.benchmark_receipt_id for version in versions],
            key__status=SigningKey.Status.REVOKED,
        ).values_list("pk", flat=True)
        return cls(
            holds=holds,
            periods=periods,
            grace={each.purchase_id: each.grace_until for each in late if each.grace_until},
            revoked=set(revoked),
            terms=TermsAsked.read(entitlements),
        )

    def closed_because(self, *, entitlement: Entitlement, version: PackageVersion) -> str:
        """The reason why a version is closed to an entitlement, or "" when it is open."""
        hold = self.holds.get(entitlement.pk)
        if hold is not None:
            return f"Access is closed: {hold.get_reason_display()}."
        if version.package_id != entitlement.package_id:
            return "This version is of another package."
        if version.state == PackageVersion.State.WITHDRAWN:
            return f"This version was withdrawn: {version.withdrawal_reason}"
        if version.state != PackageVersion.State.PUBLISHED:
            return "This version is not published."
        if not self._covers(entitlement, version):
            return "Maintenance had ended when this version was published."
        if version.benchmark_receipt_id in self.revoked:
            return "The key that signed this kit was revoked. A new receipt will open it again."
        return self.terms.closed_because(entitlement=entitlement, version=version)

    def _covers(self, entitlement: Entitlement, version: PackageVersion) -> bool:
        published = version.published_at
        if published is None or version.pk == entitlement.version_id:
            return version.pk == entitlement.version_id
        if published <= timezone.now() < self.grace.get(entitlement.purchase_id, published):
            # A payment failed and may yet come: what it would open is open until the grace ends.
            return True
        return any(
            period.ends_at > published
            and (period.starts_at <= published or entitlement.granted_at >= published)
            for period in self.periods.get(entitlement.pk, [])
        )


def paid_periods() -> QuerySet[MaintenancePeriod]:
    """The periods that cover something: not those whose money went back, by whatever way."""
    moved = Coalesce(Sum("payment__moves__amount_minor"), 0)
    return MaintenancePeriod.objects.annotate(kept=F("payment__amount_minor") + moved).filter(
        kept__gt=0
    )


def closed_because(*, entitlement: Entitlement, version: PackageVersion) -> str:
    """The reason why a version is closed to an entitlement now, or "" when it is open."""
    doors = Doors.read(entitlements=[entitlement], versions=[version])
    return doors.closed_because(entitlement=entitlement, version=version)


def is_member(*, entitlement: Entitlement, user: User) -> bool:
    """Whether a person may act for the entitlement's entity, with an account that works."""
    return (
        user.is_active
        and Member.objects.filter(entity_id=entitlement.entity_id, user=user).exists()
    )
