"""What a payment provider knows us and our customers by."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from catalog.models import Package
from entitlements.models.buying import Purchase
from licensing.models import LicensedEntity


class ProviderCustomer(models.Model):
    """A licensed entity as a provider's customer."""

    entity = models.ForeignKey(LicensedEntity, on_delete=models.PROTECT, related_name="customers")
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entity", "provider"], name="entitlements_one_customer_per_entity"
            ),
            models.UniqueConstraint(
                fields=["provider", "reference"], name="entitlements_customer_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.reference}"


class ProviderPrice(models.Model):
    """A price at a provider. An amount never changes: another amount is another price."""

    class Term(models.TextChoices):
        ONCE = "once", "one-time price"
        MONTH = "month", "a month's maintenance"

    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="provider_prices")
    provider = models.CharField(max_length=20)
    term = models.CharField(max_length=5, choices=Term)
    currency = models.CharField(max_length=3)
    amount_minor = models.PositiveBigIntegerField()
    product = models.CharField("the provider's product", max_length=120)
    reference = models.CharField("the provider's price", max_length=120)
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "package", "term", "currency", "amount_minor"],
                name="entitlements_one_price_per_amount",
            ),
            models.UniqueConstraint(
                fields=["provider", "reference"], name="entitlements_price_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.term} {self.amount_minor} {self.currency} ({self.reference})"


class Subscription(models.Model):
    """A standing order for maintenance, as the provider tells it.

    It pays nothing by itself: what was paid is in the ledger and its periods. `as_of` keeps an
    older word from undoing a newer one. While it is past due, `grace_until` keeps open what
    the next period would.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAST_DUE = "past_due", "payment failed"
        CANCELED = "canceled", "ended"

    purchase = models.ForeignKey(Purchase, on_delete=models.PROTECT, related_name="subscriptions")
    provider = models.CharField(max_length=20)
    reference = models.CharField("the provider's reference", max_length=120)
    status = models.CharField(max_length=8, choices=Status)
    cancel_at = models.DateTimeField("ends at", null=True, blank=True)
    period_ends_at = models.DateTimeField(null=True, blank=True)
    grace_until = models.DateTimeField(null=True, blank=True)
    as_of = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "reference"], name="entitlements_subscription_once"
            ),
            models.CheckConstraint(
                condition=Q(grace_until__isnull=True) | Q(status="past_due"),
                name="entitlements_grace_is_for_failed_payments",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.reference} ({self.status})"
