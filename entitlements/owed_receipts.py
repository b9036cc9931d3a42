"""Buyer receipts that are owed: who gets one when, as work of the outbox.

A version may open to a buyer at any time: when it is published or signed anew, when
maintenance goes on, when a hold is released. Each of these only writes a row of work, so
that a key that is missing stops none of them; the work may run twice.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models.signals import post_save
from django.dispatch import receiver

from catalog.models import PackageVersion
from catalog.signals import receipt_issued
from entitlements.buyer_receipts import current_receipt, ensure_buyer_receipt
from entitlements.doors import closed_because
from entitlements.models import BuyerReceipt, Entitlement, Hold, MaintenancePeriod, Outbox
from entitlements.outbox import enqueue, handles
from receipts.models import SigningKey
from receipts.signals import key_made


def owe_receipts(entitlement: Entitlement, *, bought_now: bool = False) -> None:
    """Have a buyer receipt made for each version that is open to an entitlement and lacks one.

    With `bought_now` the version that was bought has its receipt already.
    """
    versions = PackageVersion.objects.filter(
        package_id=entitlement.package_id, state=PackageVersion.State.PUBLISHED
    )
    if bought_now:
        versions = versions.exclude(pk=entitlement.version_id)
    for version in versions.order_by("pk"):
        owe_receipt(entitlement, version)


def owe_receipt(entitlement: Entitlement, version: PackageVersion) -> None:
    """The same for one version; a closed one is owed nothing."""
    if closed_because(entitlement=entitlement, version=version):
        return
    if current_receipt(entitlement=entitlement, version=version) is not None:
        return
    work = {"entitlement": str(entitlement.pk), "version": version.pk}
    waiting = Outbox.objects.filter(kind="buyer_receipt", payload=work, done_at__isnull=True)
    if not waiting.filter(attempts=0).exists():
        enqueue("buyer_receipt", work)


@handles("buyer_receipt")
def make_buyer_receipt(payload: dict[str, Any]) -> None:
    """Sign the buyer receipt of one version, unless it closed or has one meanwhile."""
    entitlement = Entitlement.objects.get(pk=UUID(payload["entitlement"]))
    version = PackageVersion.objects.get(pk=payload["version"])
    if not closed_because(entitlement=entitlement, version=version):
        ensure_buyer_receipt(entitlement=entitlement, version=version)


@handles("buyer_receipts_of_package")
def owe_package(payload: dict[str, Any]) -> None:
    """See to every buyer of a package: one row of work each, so that one failure stays alone."""
    for entitlement in Entitlement.objects.filter(package_id=payload["package"]).order_by("pk"):
        owe_receipts(entitlement)


@receiver(receipt_issued, dispatch_uid="entitlements.owed")
def _version_signed(version: PackageVersion, **_: Any) -> None:
    if Entitlement.objects.filter(package_id=version.package_id).exists():
        enqueue("buyer_receipts_of_package", {"package": version.package_id})


@receiver(key_made, dispatch_uid="entitlements.owed")
def _key_made(key: SigningKey, **_: Any) -> None:
    if key.purpose != SigningKey.Purpose.BUYER:
        return
    packages = BuyerReceipt.objects.order_by().values_list("version__package_id", flat=True)
    for package in sorted(packages.distinct()):
        enqueue("buyer_receipts_of_package", {"package": package})


@receiver(post_save, sender=MaintenancePeriod, dispatch_uid="entitlements.owed")
def _maintained(instance: MaintenancePeriod, **_: Any) -> None:
    # The first period comes with the purchase, which sees to its receipts itself.
    if instance.payment_id != instance.entitlement.payment_id:
        owe_receipts(instance.entitlement)


@receiver(post_save, sender=Hold, dispatch_uid="entitlements.owed")
def _released(instance: Hold, **_: Any) -> None:
    if instance.released_at is not None:
        owe_receipts(instance.entitlement)
