from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Now
from django.urls import reverse
from django.utils import timezone

from catalog.models import Package
from receipts.append_only import AppendOnly
from receipts.models import Receipt


class UserManager(BaseUserManager["User"]):
    """Makes accounts known by their e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. An e-mail address names one account, whatever its case."""

    email = models.EmailField("e-mail address", unique=True)
    name = models.CharField("full name", max_length=200, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="licensing_user_email_unique_any_case")
        ]

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name or self.email


class LicenceTerms(AppendOnly):
    """A published licence text: exact bytes, and a digest that Postgres holds to them."""

    family = models.SlugField(max_length=40)
    version = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    body = models.BinaryField("exact UTF-8 text")
    sha256 = models.CharField(max_length=64, unique=True)
    published_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "licence terms"
        ordering = ["-published_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["family", "version"], name="licensing_terms_version_unique_in_family"
            ),
            models.UniqueConstraint(fields=["id", "sha256"], name="licensing_terms_identity"),
        ]

    def __str__(self) -> str:
        return f"{self.family} {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("licensing:terms", args=[self.family, self.version])

    @property
    def text(self) -> str:
        """The terms as text."""
        return bytes(self.body).decode()

    @classmethod
    def current(cls, family: str) -> LicenceTerms | None:
        """The newest published text of a family."""
        return cls.objects.filter(family=family).first()


class LicensedEntity(models.Model):
    """The enterprise that a licence binds, and that a purchase belongs to."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    legal_name = models.CharField(max_length=200)
    registration_number = models.CharField(max_length=80, blank=True)
    country = models.CharField("country (ISO 3166-1 alpha-2)", max_length=2)
    address = models.TextField("registered address")
    tax_number = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "licensed entities"

    def __str__(self) -> str:
        return self.legal_name

    def get_absolute_url(self) -> str:
        return reverse("licensing:entity", args=[self.id])


class Member(models.Model):
    """A person who acts for a licensed entity, in a role.

    Postgres checks at each commit that an entity with members has an owner among them.
    """

    class Role(models.TextChoices):
        OWNER = "owner"
        SIGNER = "signer"
        ENGINEER = "engineer"

    entity = models.ForeignKey(LicensedEntity, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entity", "user"], name="licensing_member_once"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "signer", "engineer"]),
                name="licensing_member_has_a_known_role",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.entity_id}"

    @property
    def may_sign(self) -> bool:
        """Whether the role may bind the entity."""
        return self.role in {self.Role.OWNER, self.Role.SIGNER}


class Invitation(models.Model):
    """An owner's offer of a role to whoever confirms an e-mail address as theirs.

    Its link carries a token, of which the row keeps the digest alone.
    """

    LIFETIME = timedelta(days=7)

    entity = models.ForeignKey(LicensedEntity, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField("e-mail address, in lower case")
    role = models.CharField(max_length=10, choices=Member.Role)
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            # A second one to the same address takes the place of the first.
            models.UniqueConstraint(
                fields=["entity", "email"],
                condition=Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="licensing_invitation_one_open",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(revoked_at__isnull=True),
                name="licensing_invitation_ends_once",
            ),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "signer", "engineer"]),
                name="licensing_invitation_is_to_a_known_role",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.entity_id}"

    @property
    def is_expired(self) -> bool:
        """Whether its days are over."""
        return self.expires_at <= timezone.now()


class LicenceSignature(AppendOnly):
    """A person's act of signing terms for an entity, as evidence that stands by itself.

    Postgres checks: the text against its digest and against the published terms, each
    affirmation's sentence against the text, all five marks set, the time from its own clock,
    and the digest that chains this row to the one before.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # What was agreed to.
    terms = models.ForeignKey(LicenceTerms, on_delete=models.PROTECT, related_name="signatures")
    terms_sha256 = models.CharField(max_length=64)
    terms_body = models.BinaryField("exact text as signed")
    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="signatures")
    # Who agreed, as named that day. The entity's and the account's own rows may change later.
    entity = models.ForeignKey(LicensedEntity, on_delete=models.PROTECT, related_name="signatures")
    entity_legal_name = models.CharField(max_length=200)
    entity_registration_number = models.CharField(max_length=80, blank=True)
    entity_country = models.CharField(max_length=2)
    entity_address = models.TextField()
    entity_tax_number = models.CharField(max_length=40, blank=True)
    signer_name = models.CharField(max_length=200)
    signer_title = models.CharField(max_length=200)
    account = models.ForeignKey(
        User,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="signatures",
    )
    account_email = models.EmailField()
    # Each sentence with its own mark.
    authority_text = models.TextField()
    authority_affirmed = models.BooleanField()
    redistribution_text = models.TextField()
    redistribution_affirmed = models.BooleanField()
    resale_text = models.TextField()
    resale_affirmed = models.BooleanField()
    traceability_text = models.TextField()
    traceability_affirmed = models.BooleanField()
    responsibility_text = models.TextField()
    responsibility_affirmed = models.BooleanField()
    consent_text = models.TextField()
    consent_given = models.BooleanField()
    # Network evidence: recorded, never an identity.
    remote_address = models.GenericIPAddressField(null=True, blank=True)
    user_agent = models.CharField(max_length=400, blank=True)
    # Written by Postgres as the row is inserted.
    signed_at = models.DateTimeField(db_default=Now(), editable=False)
    position = models.BigIntegerField(db_default=0, unique=True, editable=False)
    previous_digest = models.CharField(max_length=64, db_default="", unique=True, editable=False)
    digest = models.CharField(max_length=64, db_default="", unique=True, editable=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["id", "entity", "package"], name="licensing_signature_identity"
            ),
            models.CheckConstraint(
                condition=Q(
                    authority_affirmed=True,
                    redistribution_affirmed=True,
                    resale_affirmed=True,
                    traceability_affirmed=True,
                    responsibility_affirmed=True,
                    consent_given=True,
                ),
                name="licensing_signature_affirms_all",
            ),
            models.CheckConstraint(
                condition=~Q(signer_name="")
                & ~Q(signer_title="")
                & ~Q(entity_legal_name="")
                & ~Q(authority_text="")
                & ~Q(consent_text=""),
                name="licensing_signature_names_signer_and_entity",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.signer_name} for {self.entity_legal_name}"

    def get_absolute_url(self) -> str:
        return reverse("licensing:signature", args=[self.id])


class LicenceReceipt(AppendOnly):
    """The store's countersignature: a signed receipt of one licence signature."""

    signature = models.OneToOneField(
        LicenceSignature, on_delete=models.PROTECT, related_name="countersigned"
    )
    receipt = models.OneToOneField(Receipt, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"licence receipt of {self.signature_id}"
