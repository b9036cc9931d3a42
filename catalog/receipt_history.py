"""The receipts that the same bytes have had: one holds at most, and the others stay to be seen."""

from __future__ import annotations

from django.db.models import Case, When
from touchstone.statement import parse_statement

from catalog.models import PUBLIC, PackageVersion
from receipts.models import Receipt

MOST = 12


def receipts_of_the_same_bytes(payload_sha256: str) -> list[Receipt]:
    """Every benchmark receipt of the kit that one receipt names, that one included, newest first.

    The kit's name counts too: it says of which version the bytes are.
    """
    benchmark = Receipt.objects.filter(kind=Receipt.Kind.BENCHMARK)
    bytes_of = benchmark.filter(payload_sha256=payload_sha256).values("subject_sha256")
    found = benchmark.filter(subject_sha256__in=bytes_of).select_related("key")
    named = [(_kit_name(receipt), receipt) for receipt in found.order_by("-issued_at", "-pk")]
    wanted = {name for name, receipt in named if receipt.payload_sha256 == payload_sha256}
    return [receipt for name, receipt in named if name in wanted]


def versions_beside(receipt: Receipt) -> list[PackageVersion]:
    """The public versions of a receipt's package, that of the receipt first, then the newest.

    It is known by its bytes and its name: a receipt whose key was revoked is no longer the
    version's own. Empty when there is no such public version.
    """
    own = PackageVersion.objects.filter(kit_id=receipt.subject_sha256, state__in=PUBLIC)
    found = (
        PackageVersion.objects.filter(state__in=PUBLIC, package__in=own.values("package"))
        .select_related("package", "kit", "benchmark_receipt__key")
        .annotate(other=Case(When(kit_id=receipt.subject_sha256, then=0), default=1))
        .order_by("other", "-published_at", "-id")[:MOST]
    )
    name = _kit_name(receipt)
    versions: list[PackageVersion] = sorted(found, key=lambda each: each.kit_name != name)
    return versions if versions and versions[0].kit_name == name else []


def _kit_name(receipt: Receipt) -> str:
    return parse_statement(receipt.payload).subjects[0].name
