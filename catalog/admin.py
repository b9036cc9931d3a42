from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from catalog.models import Kit, Package, PackageVersion
from catalog.templatetags.written import filesize, money
from receipts.admin import ReadOnlyAdmin, ReadOnlyInline

if TYPE_CHECKING:
    from django.db.models import QuerySet


class VersionsInline(ReadOnlyInline):
    model = PackageVersion
    fields = ("version", "state", "published_at", "withdrawn_at")
    show_change_link = True


@admin.register(Package)
class PackageAdmin(ReadOnlyAdmin):
    list_display = ("slug", "created_at")
    search_fields = ("slug",)
    fields = ("slug", "created_at")
    inlines = (VersionsInline,)


@admin.register(PackageVersion)
class PackageVersionAdmin(ReadOnlyAdmin):
    list_display = ("package", "version", "state", "published_at", "kit")
    list_display_links = ("package", "version")
    list_filter = ("state",)
    list_select_related = ("package", "kit")
    search_fields = ("package__slug", "version", "kit__sha256")
    fields = (
        "package",
        "version",
        "state",
        "summary",
        "kit",
        "benchmark_receipt",
        "content_sha256",
        "published_at",
        "withdrawn_at",
        "withdrawal_reason",
    )
    readonly_fields = ("summary",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[PackageVersion]:
        return super().get_queryset(request).defer("data", "story")

    @admin.display(description="definition")
    def summary(self, version: PackageVersion) -> str:
        """Title and prices; the whole definition is on the package page."""
        price = version.definition.price
        once = money(price.one_time_minor, price.currency)
        monthly = money(price.maintenance_minor, price.currency)
        return f"{version.definition.title}: {once}, and {monthly} a month"


@admin.register(Kit)
class KitAdmin(ReadOnlyAdmin):
    list_display = ("sha256", "human_size", "path")
    search_fields = ("sha256",)
    fields = ("sha256", "size", "path", "sums_sha256", "weights_sha256")

    @admin.display(description="size", ordering="size")
    def human_size(self, kit: Kit) -> str:
        """The size in the units of the package page."""
        return filesize(kit.size)
