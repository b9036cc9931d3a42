"""Whether an entitlement opens a version now. Computed from the rows each time it is asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from catalog.models import PackageVersion
from entitlements.models import Entitlement, Hold, MaintenancePeriod
from entitlements.terms_asked import TermsAsked
from licensing.models import Member, User
from receipts.models import Receipt, SigningKey


@dataclass(frozen=True, kw_only=True)
class Doors:
    """The rows that decide, as they were when they were read."""

    holds: dict[UUID, Hold]
    periods: dict[UUID, list[MaintenancePeriod]]
    revoked: set[int]
    terms: TermsAsked

    @classmethod
    def read(
        cls, *, entitlements: Collection[Entitlement], versions: Collection[PackageVersion]
    ) -> Doors:
        """Read what decides for any of these: five queries, however many they are."""
        holds: dict[UUID, Hold] = {}
        for hold in Hold.objects.filter(
            entitlement__in=entitlements, released_at__isnull=True
        ).order_by("pk"):
            holds.setdefault(hold.entitlement_id, hold)
        periods: dict[UUID, list[MaintenancePeriod]] = {}
        for period in MaintenancePeriod.objects.filter(entitlement__in=entitlements):
            periods.setdefault(period.entitlement_id, []).append(period)
        revoked = Receipt.objects.filter(
            pk__in=[version.benchmark_receipt_id for version in versions],
            key__status=SigningKey.Status.REVOKED,
        ).values_list("pk", flat=True)
        return cls(
            holds=holds, periods=periods, revoked=set(revoked), terms=TermsAsked.read(entitlements)
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
        return any(
            period.ends_at > published
            and (period.starts_at <= published or entitlement.granted_at >= published)
            for period in self.periods.get(entitlement.pk, [])
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
