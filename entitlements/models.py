from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from catalog.models import Package, PackageVersion
from licensing.models import LicenceSignature, LicensedEntity, User
from receipts.append_only import AppendOnly
from receipts.models import Receipt


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


class Hold(models.Model):
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


class ProviderEvent(models.Model):
    """The inbox: each event of a payment provider, stored and applied in one transaction."""

    class Outcome(models.TextChoices):
        APPLIED = "applied"
        IGNORED = "ignored", "of no concern here"
        WAITING = "waiting", "waiting for its purchase"
        HELD = "held", "held for finance"

    provider = models.CharField(max_length=20)
    event_id = models.CharField(max_length=120)
    kind = models.CharField(max_length=80)
    payload = models.JSONField()
    outcome = models.CharField(max_length=8, choices=Outcome)
    note = models.TextField(blank=True)
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "event_id"], name="entitlements_event_once_per_provider"
            )
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.kind} {self.event_id}"


class Download(AppendOnly):
    """The log of delivery: links issued, started, completed and denied."""

    class Event(models.TextChoices):
        ISSUED = "issued"
        STARTED = "started"
        COMPLETED = "completed"
        DENIED = "denied"

    link = models.UUIDField("the link's id", db_index=True)
    event = models.CharField(max_length=10, choices=Event)
    entitlement = models.ForeignKey(
        Entitlement, null=True, on_delete=models.PROTECT, related_name="downloads"
    )
    version = models.ForeignKey(PackageVersion, null=True, on_delete=models.PROTECT)
    member = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, db_constraint=False)
    kit_sha256 = models.CharField(max_length=64, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    bytes_sent = models.PositiveBigIntegerField(null=True, blank=True)
    at = models.DateTimeField(db_default=models.functions.Now())

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            # However many ranges a client asks for, a link starts and completes once.
            models.UniqueConstraint(
                fields=["link", "event"],
                condition=Q(event__in=["issued", "started", "completed"]),
                name="entitlements_download_event_once_per_link",
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.link}"


class Outbox(models.Model):
    """Work that follows a commit. Written with it, taken by a worker with SKIP LOCKED."""

    MAX_ATTEMPTS: ClassVar[int] = 10

    kind = models.CharField(max_length=40)
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.TextField(blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "outbox"
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(done_at__isnull=True),
                name="entitlements_outbox_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({'done' if self.done_at else 'due'})"
