"""What came in from providers, and what goes out after a commit."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone


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
