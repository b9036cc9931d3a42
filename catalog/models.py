from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.urls import reverse

from catalog.definition import Definition
from receipts.append_only import AppendOnly
from receipts.models import Receipt, SigningKey

if TYPE_CHECKING:
    from django.db.models.query import QuerySet


class Package(models.Model):
    """A thing for sale. What it is and costs lies in its versions' definitions."""

    slug = models.SlugField(unique=True, max_length=80)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("catalog:package", args=[self.slug])


class Kit(models.Model):
    """A tarball, known by its digest. Its bytes lie in the `kits` storage under `path`."""

    sha256 = models.CharField(primary_key=True, max_length=64)
    size = models.PositiveBigIntegerField("size in bytes")
    path = models.CharField(max_length=200)
    sums_sha256 = models.CharField("digest of its SHA256SUMS", max_length=64)
    weights_sha256 = models.CharField("digest of its weights/SHA256SUMS", max_length=64)
    files = models.JSONField("name, size and digest of each file")

    def __str__(self) -> str:
        return self.sha256


class PackageVersion(models.Model):
    """One definition, sealed with the kit built from it and the receipt that vouches for both.

    Postgres lets the content of a draft change and of nothing else, and lets a version be
    sealed only with a benchmark receipt whose subject is its kit.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        SEALED = "sealed"
        PUBLISHED = "published"
        WITHDRAWN = "withdrawn"

    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="versions")
    version = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    data = models.JSONField("definition")
    story = models.TextField("Markdown of the package page", blank=True)
    content_sha256 = models.CharField("digest of all that was published", max_length=64)
    kit = models.ForeignKey(Kit, null=True, on_delete=models.PROTECT, related_name="versions")
    # A part of the composite key that binds receipt and kit; it never has another value.
    receipt_kind = models.CharField(max_length=16, default=Receipt.Kind.BENCHMARK, editable=False)
    benchmark_receipt = models.ForeignKey(
        Receipt,
        null=True,
        on_delete=models.PROTECT,
        related_name="versions",
        db_constraint=False,
    )
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-published_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["package", "version"], name="catalog_version_unique_in_package"
            ),
            # The target of composite foreign keys: "this version, of this package".
            models.UniqueConstraint(fields=["id", "package"], name="catalog_version_identity"),
            models.CheckConstraint(
                condition=Q(receipt_kind=Receipt.Kind.BENCHMARK),
                name="catalog_version_receipt_is_benchmark",
            ),
            models.CheckConstraint(
                condition=Q(state="draft") | Q(kit__isnull=False, benchmark_receipt__isnull=False),
                name="catalog_sealed_version_has_kit_and_receipt",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "sealed"]) | Q(published_at__isnull=False),
                name="catalog_published_version_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(state="withdrawn")
                | (Q(withdrawn_at__isnull=False) & ~Q(withdrawal_reason="")),
                name="catalog_withdrawn_version_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.package_id} {self.version} ({self.state})"

    def get_absolute_url(self) -> str:
        return reverse("catalog:version", args=[self.package.slug, self.version])

    @cached_property
    def definition(self) -> Definition:
        """The validated definition."""
        return Definition.model_validate(self.data)

    @property
    def kit_name(self) -> str:
        """The file name of the kit, as buyers see it."""
        return f"{self.package.slug}-{self.version}.tar.gz"

    @classmethod
    def on_sale(cls) -> QuerySet[PackageVersion]:
        """Published versions with all that a public page shows, newest first."""
        return cls.objects.filter(state=cls.State.PUBLISHED).select_related(
            "package", "kit", "benchmark_receipt__key"
        )

    def signed_by_revoked_key(self) -> bool:
        """Whether the key that vouches for this version has been revoked."""
        receipt = self.benchmark_receipt
        return receipt is None or receipt.key.status == SigningKey.Status.REVOKED


# What the public may see, on sale or not.
PUBLIC = (PackageVersion.State.PUBLISHED, PackageVersion.State.WITHDRAWN)


class Withheld(AppendOnly):
    """What the public never sees of a version; its receipt commits to it, a buyer's reveals it.

    The commitment is SHA-256 over the salt followed by the content.
    """

    version = models.ForeignKey(PackageVersion, on_delete=models.PROTECT, related_name="withheld")
    name = models.CharField(max_length=40)
    salt = models.BinaryField("32 random bytes")
    content = models.BinaryField()

    class Meta:
        verbose_name_plural = "withheld"
        constraints = [
            models.UniqueConstraint(fields=["version", "name"], name="catalog_withheld_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} of version {self.version_id}"
