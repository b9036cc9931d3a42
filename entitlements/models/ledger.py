"""Money that came and went."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from entitlements.models.buying import Purchase
from receipts.append_only import AppendOnly


class Payment(AppendOnly):
    """The ledger: signed amounts in minor units. A refund is a negative row of its own."""

    class Kind(models.TextChoices):
        CHARGE = "charge"
        REFUND = "refund"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purchase = models.ForeignKey(Purchase, on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=8, choices=Kind)
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    recorded_by = models.CharField("who or what recorded it", max_length=200)
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["received_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "reference"], name="entitlements_payment_once_per_reference"
            ),
            models.UniqueConstraint(
                fields=["id", "purchase"], name="entitlements_payment_identity"
            ),
            models.CheckConstraint(
                condition=Q(kind="charge", amount_minor__gt=0)
                | Q(kind="refund", amount_minor__lt=0),
                name="entitlements_payment_sign_follows_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount_minor} {self.currency} ({self.provider})"
