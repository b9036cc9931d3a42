"""The log of delivery."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from catalog.models import PackageVersion
from entitlements.models.rights import Entitlement
from licensing.models import User
from receipts.append_only import AppendOnly


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
