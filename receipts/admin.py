from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest
from touchstone.root import fingerprint, grouped

from receipts.models import Receipt, SignedKeys, SigningKey

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet

    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelAdmin, TabularInline = admin.ModelAdmin, admin.TabularInline


class _ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(_ReadOnly, ModelAdmin):
    """Rows to look at. What may change them are actions that check first, never a form here."""

    list_per_page = 50
    show_full_result_count = False


class ReadOnlyInline(_ReadOnly, TabularInline):
    """Rows of another table under the row that they belong to."""

    extra = 0


@admin.register(SigningKey)
class SigningKeyAdmin(ReadOnlyAdmin):
    list_display = ("kid", "purpose", "status", "not_before", "not_after")
    list_filter = ("purpose", "status")
    fields = (
        "kid",
        "purpose",
        "status",
        "not_before",
        "not_after",
        "compromised_since",
        "revocation_reason",
    )


@admin.register(SignedKeys)
class SignedKeysAdmin(ReadOnlyAdmin):
    """States of keys.json that the root signed. The envelope is served where it is checked."""

    list_display = ("sequence", "payload_sha256", "signed_at")
    fields = ("sequence", "payload_sha256", "root_fingerprint", "signed_at")
    readonly_fields = ("root_fingerprint",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SignedKeys]:
        return super().get_queryset(request).defer("envelope")

    @admin.display(description="root's fingerprint")
    def root_fingerprint(self, signed: SignedKeys) -> str:
        """As people compare it."""
        return grouped(fingerprint(signed.root))


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """What a receipt says is read where its readers are: a buyer's tells what is withheld."""

    list_display = ("kind", "payload_sha256", "subject_sha256", "key", "issued_at")
    list_filter = ("kind",)
    list_select_related = ("key",)
    ordering = ("-issued_at",)
    search_fields = ("payload_sha256", "subject_sha256")
    fields = ("kind", "payload_sha256", "subject_sha256", "key", "issued_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Receipt]:
        return super().get_queryset(request).defer("envelope")
