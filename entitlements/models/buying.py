"""What an entity buys: one version, at one price, under one signature."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from catalog.models import Package, PackageVersion
from licensing.models import LicenceSignature, LicensedEntity, User


class Purchase(models.Model):
    """An entity buys a package once: the version it saw, the price it saw, the licence it signed.

    Composite foreign keys keep signature, entity, package and version in agreement.
    """

    class State(models.TextChoices):
        PENDING = "pending", "waiting for payment"
        PAID = "paid"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="purchases")
    version = models.ForeignKey(
        PackageVersion, on_delete=models.PROTECT, related_name="purchases", db_constraint=False
    )
    entity = models.ForeignKey(LicensedEntity, on_delete=models.PROTECT, related_name="purchases")
    signature = models.OneToOneField(
        LicenceSignature, on_delete=models.PROTECT, related_name="purchase", db_constraint=False
    )
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    currency = models.CharField("currency (ISO 4217)", max_length=3)
    price_minor = models.PositiveBigIntegerField("one-time price in minor units")
    maintenance_minor = models.PositiveBigIntegerField("a month's maintenance in minor units")
    purchase_order = models.CharField("purchase-order number", max_length=80, blank=True)
    buyer = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="purchases")
    checkout_session = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["id", "signature", "entity", "package", "version"],
                name="entitlements_purchase_identity",
            ),
            models.CheckConstraint(
                condition=Q(state="pending", paid_at__isnull=True)
                | Q(state="paid", paid_at__isnull=False),
                name="entitlements_purchase_paid_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"purchase {self.id} ({self.state})"

    def get_absolute_url(self) -> str:
        return reverse("entitlements:purchase", args=[self.id])

    @property
    def total_minor(self) -> int:
        """What the first payment must bring: the price and the first month, in minor units."""
        return self.price_minor + self.maintenance_minor
