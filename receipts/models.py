from __future__ import annotations

from typing import cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import models
from django.db.models import Q
from django.utils import timezone
from touchstone.envelope import parse_envelope
from touchstone.keys import PublicKey, Status

from receipts.append_only import AppendOnly, Kept


class SigningKey(Kept):
    """The public half of an Ed25519 key and the story of its life.

    Its steps are in receipts/key_life.py; Postgres lets it take them one way and in order.
    The private half lies in a file or the environment: see receipts/private_keys.py.
    """

    class Purpose(models.TextChoices):
        BENCHMARK = "benchmark", "benchmark receipts"
        BUYER = "buyer", "buyer receipts"
        LICENCE = "licence", "licence receipts"

    class Status(models.TextChoices):
        ACTIVE = "active"
        RETIRED = "retired"
        REVOKED = "revoked"

    kid = models.CharField("key id (RFC 7638 thumbprint)", primary_key=True, max_length=43)
    purpose = models.CharField(max_length=16, choices=Purpose)
    public_key = models.BinaryField("raw public key, 32 bytes")
    status = models.CharField(max_length=8, choices=Status, default=Status.ACTIVE)
    not_before = models.DateTimeField(default=timezone.now)
    not_after = models.DateTimeField(null=True, blank=True)
    compromised_since = models.DateTimeField(null=True, blank=True)
    revocation_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-not_before", "kid"]
        constraints = [
            # The target of a composite foreign key: "a key for receipts of this kind".
            models.UniqueConstraint(fields=["kid", "purpose"], name="receipts_key_identity"),
            models.UniqueConstraint(
                fields=["purpose"],
                condition=Q(status="active"),
                name="receipts_one_active_key_per_purpose",
            ),
            models.CheckConstraint(
                condition=~Q(status="retired") | Q(not_after__isnull=False),
                name="receipts_retired_key_says_when",
            ),
            models.CheckConstraint(
                condition=Q(
                    status="revoked",
                    compromised_since__isnull=False,
                    revocation_reason__regex=r"\S",
                )
                | Q(~Q(status="revoked"), compromised_since__isnull=True, revocation_reason=""),
                name="receipts_revoked_key_says_since_when_and_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kid} ({self.purpose}, {self.status})"

    def as_public_key(self) -> PublicKey:
        """The key as the verifier knows it."""
        return PublicKey(
            Ed25519PublicKey.from_public_bytes(bytes(self.public_key)),
            status=cast("Status", self.status),
            not_before=self.not_before,
            not_after=self.not_after,
            compromised_since=self.compromised_since,
            purpose=self.purpose,
        )


class SignedKeys(AppendOnly):
    """A state of keys.json as the offline root signed it, as the exact bytes of the envelope.

    Postgres holds digest and sequence to those bytes. The newest row tells the store's root.
    """

    envelope = models.BinaryField()
    payload_sha256 = models.CharField(max_length=64)
    sequence = models.PositiveBigIntegerField()
    root_public_key = models.BinaryField("raw public key of the root, 32 bytes")
    signed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "signed keys"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"state {self.sequence}, {self.payload_sha256[:12]}"

    @property
    def root(self) -> Ed25519PublicKey:
        """The public half of the root that signed."""
        return Ed25519PublicKey.from_public_bytes(bytes(self.root_public_key))


class Receipt(AppendOnly):
    """A signed statement, kept as the exact bytes of its DSSE envelope.

    Postgres holds `payload_sha256` and `subject_sha256` to those bytes, and the key's purpose to
    the kind.
    """

    class Kind(models.TextChoices):
        BENCHMARK = "benchmark", "benchmark receipt"
        BUYER = "buyer", "buyer receipt"
        LICENCE = "licence", "licence receipt"

    kind = models.CharField(max_length=16, choices=Kind)
    envelope = models.BinaryField()
    payload_sha256 = models.CharField(max_length=64, unique=True)
    subject_sha256 = models.CharField(max_length=64, db_index=True)
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="receipts")
    issued_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            # The target of composite foreign keys: "a benchmark receipt whose subject is this kit".
            models.UniqueConstraint(
                fields=["id", "kind", "subject_sha256"], name="receipts_receipt_identity"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.payload_sha256[:12]}"

    @property
    def payload(self) -> bytes:
        """The bytes that were signed: a statement."""
        return parse_envelope(bytes(self.envelope)).payload


class RawFile(AppendOnly):
    """A file that a benchmark tool wrote, known by its digest, which Postgres holds to its bytes.

    A published version lists those that its figures were read from.
    """

    sha256 = models.CharField(primary_key=True, max_length=64)
    content = models.BinaryField("at most 16 MiB")
    stored_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.sha256
