"""What takes a charge back: refunds that we ask for, disputes that a bank opens."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from entitlements.models.ledger import Payment
from receipts.append_only import Kept


class Refund(Kept):
    """A refund from the wish to its end. The ledger has a row once it succeeded, not before.

    `reference` is the provider's, and empty until the provider has answered.
    """

    class State(models.TextChoices):
        WANTED = "wanted", "not yet at the provider"
        PENDING = "pending"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELED = "canceled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    charge = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="refunds")
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120, blank=True)
    amount_minor = models.PositiveBigIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.WANTED)
    why = models.TextField(blank=True)
    requested_by = models.CharField(max_length=200)
    requested_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-requested_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "reference"],
                condition=~Q(reference=""),
                name="entitlements_refund_once_per_reference",
            ),
            models.CheckConstraint(
                condition=Q(amount_minor__gt=0), name="entitlements_refund_is_of_something"
            ),
            models.CheckConstraint(
                condition=~Q(state="succeeded", reference=""),
                name="entitlements_refund_succeeded_at_a_provider",
            ),
        ]

    def __str__(self) -> str:
        return f"refund of {self.amount_minor} ({self.state})"


class Dispute(Kept):
    """A dispute as the provider tells it; `as_of` keeps an older word from undoing a newer one."""

    class State(models.TextChoices):
        WARNING = "warning", "inquiry, no money taken"
        OPEN = "open"
        WON = "won"
        LOST = "lost"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    charge = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="disputes")
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120)
    amount_minor = models.PositiveBigIntegerField()
    state = models.CharField(max_length=7, choices=State)
    reason = models.CharField(max_length=80, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    as_of = models.DateTimeField()

    class Meta:
        ordering = ["-opened_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "reference"], name="entitlements_dispute_once_per_reference"
            )
        ]

    def __str__(self) -> str:
        return f"dispute of {self.amount_minor} ({self.state})"
