"""What finance staff did, and the paper that a bank transfer answers."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MinLengthValidator
from django.db import models
from django.db.models.functions import Length, Now
from django.db.models.lookups import GreaterThanOrEqual

from entitlements.models.buying import Purchase
from licensing.models import User
from receipts.append_only import AppendOnly

MIN_WHY = 5


class DeskAction(AppendOnly):
    """One action at the finance desk: who, what, to what, and why."""

    actor = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, db_constraint=False)
    actor_email = models.EmailField()
    action = models.CharField(max_length=40)
    subject = models.CharField("what it was done to", max_length=120, db_index=True)
    why = models.TextField(validators=[MinLengthValidator(MIN_WHY)])
    details = models.JSONField(default=dict)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-id"]
        # One right an action; the group "finance" begins with all: entitlements/desk/rights.py.
        permissions: ClassVar = [
            ("record_transfer", "Can record a bank transfer"),
            ("resolve_held", "Can apply held money or send it back"),
            ("refund", "Can refund a charge"),
            ("place_hold", "Can close access for a breach"),
            ("release_hold", "Can release a hold"),
            ("replay", "Can replay an event and retry a dead letter"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=GreaterThanOrEqual(Length("why"), MIN_WHY),
                name="entitlements_desk_says_why",
            )
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"


class ProForma(AppendOnly):
    """A pro-forma invoice: what a bank transfer for a purchase must bring."""

    MONTHS = 12

    number = models.BigAutoField(primary_key=True)
    purchase = models.OneToOneField(Purchase, on_delete=models.PROTECT, related_name="pro_forma")
    months = models.PositiveSmallIntegerField("months of maintenance", default=MONTHS)
    amount_minor = models.PositiveBigIntegerField()
    currency = models.CharField(max_length=3)
    purchase_order = models.CharField("purchase-order number", max_length=80, blank=True)
    billed_to = models.JSONField("the entity as named that day")
    issued_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The number as it is written on the paper and in the transfer's reference."""
        return f"TP-{self.number:06d}"
