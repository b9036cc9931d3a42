"""The download log: each row is of a link that was issued, for these bytes."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Exists, OuterRef

from entitlements.evidence.walking import Table
from entitlements.models import Download


def delivering() -> list[Table]:
    """The log, in its order."""
    issued = Download.objects.filter(
        event=Download.Event.ISSUED,
        at__lte=OuterRef("at"),
        **{
            name: OuterRef(name)
            for name in ("link", "entitlement", "version", "member_id", "kit_sha256")
        },
    )
    started = Download.objects.filter(link=OuterRef("link"), event=Download.Event.STARTED)
    rows = Download.objects.select_related("entitlement", "version__kit").annotate(
        was_issued=Exists(issued), was_started=Exists(started)
    )
    return [Table(rows=rows.order_by("pk"), problems=_download)]


def _download(row: Download) -> Iterator[str]:
    entitlement, version = row.entitlement, row.version
    if entitlement is None or version is None or version.kit is None:
        yield "it is of no entitlement, or of no version with a kit"
        return
    if version.package_id != entitlement.package_id:
        yield "its version is of another package than its entitlement"
    if row.kit_sha256 != version.kit_id:
        yield "the digest is not that of its version's kit"
    if not vars(row)["was_issued"]:
        yield "no such link was issued before"
    if row.event == Download.Event.COMPLETED:
        if not vars(row)["was_started"]:
            yield "it was completed and never started"
        if row.bytes_sent != version.kit.size:
            yield "what was sent is not the size of the kit"
