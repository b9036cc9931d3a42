"""Money that came and went: the ledger, and money that fits no purchase."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from entitlements.models.buying import Purchase
from receipts.append_only import AppendOnly, Kept


class Payment(AppendOnly):
    """The ledger: signed amounts in minor units. What moves a charge's money is a row of its own.

    Stripe's balance has the same rows: a charge, a refund, a refund that came back, what a
    dispute took, and what a dispute that was won gave back.
    """

    class Kind(models.TextChoices):
        CHARGE = "charge"
        REFUND = "refund"
        REFUND_FAILED = "refund_failed", "refund that came back"
        DISPUTE = "dispute", "taken by a dispute"
        DISPUTE_WON = "dispute_won", "dispute won"

    INCOMING = (Kind.CHARGE, Kind.REFUND_FAILED, Kind.DISPUTE_WON)
    OUTGOING = (Kind.REFUND, Kind.DISPUTE)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purchase = models.ForeignKey(Purchase, on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=16, choices=Kind)
    charge = models.ForeignKey(
        "self",
        verbose_name="the charge whose money this moves",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="moves",
        db_constraint=False,
    )
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120)
    amount_minor = models.BigIntegerField()
    tax_minor = models.PositiveBigIntegerField(
        "tax in the amount, in minor units", default=0, db_default=0
    )
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
                condition=Q(kind__in=["charge", "refund_failed", "dispute_won"], amount_minor__gt=0)
                | Q(kind__in=["refund", "dispute"], amount_minor__lt=0),
                name="entitlements_payment_sign_follows_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind="charge", charge__isnull=True)
                | (~Q(kind="charge") & Q(charge__isnull=False, tax_minor=0)),
                name="entitlements_payment_moves_a_charge",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount_minor} {self.currency} ({self.provider})"


class HeldPayment(Kept):
    """Money that came and opened no door: too little, too much, another currency, no purchase.

    Finance applies it (when what was missing came) or sends it back, and says why.
    """

    class Resolution(models.TextChoices):
        OPEN = "", "held"
        APPLIED = "applied"
        RETURNED = "returned", "sent back"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purchase = models.ForeignKey(
        Purchase, null=True, blank=True, on_delete=models.PROTECT, related_name="held_payments"
    )
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    received_at = models.DateTimeField(default=timezone.now)
    reason = models.TextField("why it opens nothing")
    recorded_by = models.CharField("who or what recorded it", max_length=200)
    resolution = models.CharField(max_length=8, choices=Resolution, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["-received_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "reference"], name="entitlements_held_once_per_reference"
            ),
            models.CheckConstraint(
                condition=Q(resolution="", resolved_at__isnull=True)
                | (~Q(resolution="") & Q(resolved_at__isnull=False)),
                name="entitlements_held_resolved_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount_minor} {self.currency} held ({self.provider} {self.reference})"
