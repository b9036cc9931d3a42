"""Whether an entitlement opens a version now. Computed from the rows each time it is asked."""

from __future__ import annotations

from django.db.models import Q

from catalog.models import PackageVersion
from entitlements.models import Entitlement, Hold, MaintenancePeriod
from licensing.models import Member, User
from receipts.models import SigningKey


def closed_because(*, entitlement: Entitlement, version: PackageVersion) -> str:
    """The reason why a version is closed to an entitlement, or "" when it is open."""
    hold = Hold.objects.filter(entitlement=entitlement, released_at__isnull=True).first()
    if hold is not None:
        return f"Access is closed: {hold.get_reason_display()}."
    if version.package_id != entitlement.package_id:
        return "This version is of another package."
    if version.state == PackageVersion.State.WITHDRAWN:
        return f"This version was withdrawn: {version.withdrawal_reason}"
    if version.state != PackageVersion.State.PUBLISHED:
        return "This version is not published."
    if not _covered(entitlement, version):
        return "Maintenance had ended when this version was published."
    if _key_is_revoked(version):
        return "The key that signed this kit was revoked. A new receipt will open it again."
    return ""


def is_member(*, entitlement: Entitlement, user: User) -> bool:
    """Whether a person may act for the entitlement's entity, with an account that works."""
    return (
        user.is_active
        and Member.objects.filter(entity_id=entitlement.entity_id, user=user).exists()
    )


def _covered(entitlement: Entitlement, version: PackageVersion) -> bool:
    if version.pk == entitlement.version_id:
        return True
    published = version.published_at
    earlier = Q(entitlement=entitlement, ends_at__gt=published) & (
        Q(starts_at__lte=published) | Q(entitlement__granted_at__gte=published)
    )
    return MaintenancePeriod.objects.filter(earlier).exists()


def _key_is_revoked(version: PackageVersion) -> bool:
    return SigningKey.objects.filter(
        receipts=version.benchmark_receipt_id, status=SigningKey.Status.REVOKED
    ).exists()
