from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from catalog.templatetags.written import money
from entitlements.models import (
    AdditionalSignature,
    BuyerReceipt,
    Download,
    Entitlement,
    Hold,
    MaintenancePeriod,
    Outbox,
    Payment,
    ProviderEvent,
    Purchase,
)
from receipts.admin import ReadOnlyAdmin, ReadOnlyInline

if TYPE_CHECKING:
    from django.db.models import QuerySet


class PaymentsInline(ReadOnlyInline):
    model = Payment
    fields = ("kind", "provider", "reference", "amount_minor", "currency", "received_at")


@admin.register(Purchase)
class PurchaseAdmin(ReadOnlyAdmin):
    list_display = ("id", "entity", "package", "state", "total", "created_at", "paid_at")
    list_filter = ("state", "currency")
    list_select_related = ("entity", "package")
    search_fields = ("id", "entity__legal_name", "purchase_order", "checkout_session")
    fields = (
        "id",
        "state",
        "entity",
        "package",
        "version",
        "signature",
        "currency",
        "price_minor",
        "maintenance_minor",
        "purchase_order",
        "buyer",
        "checkout_session",
        "created_at",
        "paid_at",
    )
    inlines = (PaymentsInline,)

    @admin.display(description="first payment")
    def total(self, purchase: Purchase) -> str:
        """The price and the first month."""
        return money(purchase.total_minor, purchase.currency)


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    list_display = ("reference", "provider", "kind", "amount", "purchase", "received_at")
    list_filter = ("kind", "provider", "currency")
    list_select_related = ("purchase",)
    ordering = ("-received_at",)
    search_fields = ("reference", "purchase__id", "purchase__entity__legal_name")

    @admin.display(description="amount", ordering="amount_minor")
    def amount(self, payment: Payment) -> str:
        """The signed amount."""
        return money(payment.amount_minor, payment.currency)


class MaintenanceInline(ReadOnlyInline):
    model = MaintenancePeriod
    fields = ("starts_at", "ends_at", "payment")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MaintenancePeriod]:
        return super().get_queryset(request).select_related("payment")


class BuyerReceiptsInline(ReadOnlyInline):
    model = BuyerReceipt
    fields = ("version", "receipt")

    def get_queryset(self, request: HttpRequest) -> QuerySet[BuyerReceipt]:
        rows = super().get_queryset(request).select_related("version", "receipt")
        return rows.defer("receipt__envelope", "version__data", "version__story")


class NewerTermsInline(ReadOnlyInline):
    model = AdditionalSignature
    verbose_name_plural = "signatures of newer terms"
    fields = ("signature", "terms", "bound_at")
    readonly_fields = ("terms",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AdditionalSignature]:
        rows = super().get_queryset(request).select_related("signature__terms")
        return rows.defer("signature__terms_body", "signature__terms__body")

    @admin.display(description="terms")
    def terms(self, row: AdditionalSignature) -> str:
        """Family and version of what was signed."""
        return str(row.signature.terms)


class HoldsInline(ReadOnlyInline):
    model = Hold
    fields = ("reason", "note", "opened_at", "released_at")


@admin.register(Entitlement)
class EntitlementAdmin(ReadOnlyAdmin):
    list_display = ("id", "entity", "package", "granted_at")
    list_select_related = ("entity", "package")
    ordering = ("-granted_at",)
    search_fields = ("id", "entity__legal_name", "package__slug")
    inlines = (MaintenanceInline, NewerTermsInline, HoldsInline, BuyerReceiptsInline)


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    list_display = ("reason", "entitlement", "opened_at", "released_at")
    list_filter = ("reason", ("released_at", admin.EmptyFieldListFilter))
    list_select_related = ("entitlement",)
    ordering = ("-opened_at",)


@admin.register(ProviderEvent)
class ProviderEventAdmin(ReadOnlyAdmin):
    list_display = ("event_id", "provider", "kind", "outcome", "received_at")
    list_filter = ("outcome", "provider")
    ordering = ("-received_at",)
    search_fields = ("event_id", "kind")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ProviderEvent]:
        return super().get_queryset(request).defer("payload")


@admin.register(Download)
class DownloadAdmin(ReadOnlyAdmin):
    list_display = ("at", "event", "link", "member", "entitlement", "reason")
    list_display_links = ("at", "link")
    list_filter = ("event",)
    # The log may name an account that is gone: an outer join shows its row all the same.
    list_select_related = ("member", "entitlement")
    search_fields = ("link", "entitlement__entity__legal_name", "member__email")


@admin.register(Outbox)
class OutboxAdmin(ReadOnlyAdmin):
    list_display = ("kind", "due_at", "attempts", "done_at", "last_error")
    list_filter = ("kind", ("done_at", admin.EmptyFieldListFilter))
    ordering = ("-id",)
