from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from licensing.models import Invitation, LicenceSignature, LicenceTerms, LicensedEntity, Member
from receipts.admin import ReadOnlyAdmin, ReadOnlyInline

if TYPE_CHECKING:
    from django.db.models import QuerySet


@admin.register(LicenceTerms)
class LicenceTermsAdmin(ReadOnlyAdmin):
    list_display = ("family", "version", "title", "published_at")
    list_filter = ("family",)
    fields = ("family", "version", "title", "sha256", "published_at", "text")
    readonly_fields = ("text",)


class MembersInline(ReadOnlyInline):
    model = Member
    fields = ("user", "role", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Member]:
        return super().get_queryset(request).select_related("user")


class InvitationsInline(ReadOnlyInline):
    model = Invitation
    fields = (
        "email",
        "role",
        "invited_by",
        "created_at",
        "expires_at",
        "mailed_at",
        "accepted_at",
        "accepted_by",
        "revoked_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invitation]:
        return super().get_queryset(request).select_related("invited_by", "accepted_by")


@admin.register(LicensedEntity)
class LicensedEntityAdmin(ReadOnlyAdmin):
    list_display = ("legal_name", "country", "registration_number", "created_at")
    search_fields = ("legal_name", "registration_number", "members__user__email")
    ordering = ("legal_name",)
    fields = (
        "legal_name",
        "registration_number",
        "country",
        "address",
        "tax_number",
        "created_at",
    )
    inlines = (MembersInline, InvitationsInline)
    view_on_site = False  # its page is its members' alone


@admin.register(LicenceSignature)
class LicenceSignatureAdmin(ReadOnlyAdmin):
    list_display = ("position", "signer_name", "entity_legal_name", "package", "terms", "signed_at")
    list_display_links = ("position", "signer_name")
    list_select_related = ("package", "terms")
    ordering = ("-position",)
    search_fields = ("signer_name", "entity_legal_name", "account_email", "digest")
    fieldsets = (
        (None, {"fields": ("terms", "terms_sha256", "package", "signed_at")}),
        (
            "For whom, as named that day",
            {
                "fields": (
                    "entity",
                    "entity_legal_name",
                    "entity_registration_number",
                    "entity_country",
                    "entity_address",
                    "entity_tax_number",
                )
            },
        ),
        ("By whom", {"fields": ("signer_name", "signer_title", "account", "account_email")}),
        (
            "Affirmed",
            {
                "fields": (
                    "authority_text",
                    "redistribution_text",
                    "resale_text",
                    "traceability_text",
                    "responsibility_text",
                    "consent_text",
                )
            },
        ),
        ("Network evidence", {"fields": ("remote_address", "user_agent")}),
        ("Chain", {"fields": ("position", "previous_digest", "digest")}),
    )
