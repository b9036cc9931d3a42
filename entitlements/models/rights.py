"""What a payment brought: the right, its maintenance, its receipts; and what closes it."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from catalog.models import Package, PackageVersion
from entitlements.models.buying import Purchase
from entitlements.models.ledger import Payment
from licensing.models import LicenceSignature, LicensedEntity
from receipts.append_only import AppendOnly, Kept
from receipts.models import Receipt


class Entitlement(AppendOnly):
    """The right that a purchase brought. Whether it is live is computed at the door."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purchase = models.OneToOneField(
        Purchase, on_delete=models.PROTECT, related_name="entitlement", db_constraint=False
    )
    signature = models.OneToOneField(
        LicenceSignature, on_delete=models.PROTECT, related_name="entitlement"
    )
    entity = models.ForeignKey(
        LicensedEntity, on_delete=models.PROTECT, related_name="entitlements"
    )
    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="entitlements")
    version = models.ForeignKey(
        PackageVersion, on_delete=models.PROTECT, related_name="entitlements"
    )
    payment = models.OneToOneField(
        Payment, on_delete=models.PROTECT, related_name="entitlement", db_constraint=False
    )
    granted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["id", "entity", "package"], name="entitlements_entitlement_identity"
            )
        ]

    def __str__(self) -> str:
        return f"entitlement of {self.entity_id} to {self.package_id}"


class AdditionalSignature(AppendOnly):
    """A signature of newer terms for what was bought before.

    Composite foreign keys keep it of the same entity and package; a signature binds one thing.
    """

    entitlement = models.ForeignKey(
        Entitlement,
        on_delete=models.PROTECT,
        related_name="additional_signatures",
        db_constraint=False,
    )
    signature = models.OneToOneField(
        LicenceSignature, on_delete=models.PROTECT, related_name="additional", db_constraint=False
    )
    entity = models.ForeignKey(LicensedEntity, on_delete=models.PROTECT, related_name="+")
    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="+")
    bound_at = models.DateTimeField(db_default=models.functions.Now())

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"signature {self.signature_id} of newer terms"


class MaintenancePeriod(AppendOnly):
    """A paid span: versions published inside it stay open for ever."""

    entitlement = models.ForeignKey(
        Entitlement, on_delete=models.PROTECT, related_name="maintenance_periods"
    )
    payment = models.OneToOneField(Payment, on_delete=models.PROTECT)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gt=models.F("starts_at")),
                name="entitlements_maintenance_ends_after_start",
            )
        ]

    def __str__(self) -> str:
        return f"{self.starts_at:%Y-%m-%d} to {self.ends_at:%Y-%m-%d}"


class BuyerReceipt(AppendOnly):
    """A buyer receipt of an entitlement for one version. The newest counts.

    Another one follows when the version is signed anew or the buyer key is revoked; Postgres
    lets one at a time hold.
    """

    entitlement = models.ForeignKey(
        Entitlement, on_delete=models.PROTECT, related_name="buyer_receipts"
    )
    version = models.ForeignKey(PackageVersion, on_delete=models.PROTECT)
    benchmark_receipt = models.ForeignKey(
        Receipt,
        verbose_name="the benchmark receipt that it opens",
        on_delete=models.PROTECT,
        related_name="revealed_by",
    )
    receipt = models.OneToOneField(Receipt, on_delete=models.PROTECT)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"buyer receipt {self.receipt_id}"


class Hold(Kept):
    """Closes an entitlement while it is open: a refund, a dispute, a breach."""

    class Reason(models.TextChoices):
        REFUND = "refund", "refunded"
        DISPUTE = "dispute", "payment disputed"
        BREACH = "breach", "licence breached"

    entitlement = models.ForeignKey(Entitlement, on_delete=models.PROTECT, related_name="holds")
    reason = models.CharField(max_length=8, choices=Reason)
    note = models.TextField(blank=True)
    opened_at = models.DateTimeField(default=timezone.now)
    released_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entitlement", "reason"],
                condition=Q(released_at__isnull=True),
                name="entitlements_one_open_hold_per_reason",
            )
        ]

    def __str__(self) -> str:
        return f"hold: {self.reason}"
