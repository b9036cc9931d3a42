"""Download links: short-lived, bound to entitlement, version and member, true at the door."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import IO

from django.conf import settings
from django.core import signing

from catalog.models import Kit, PackageVersion
from catalog.storing import KitDamaged, open_kit
from entitlements.doors import closed_because, is_member
from entitlements.models import Download, Entitlement
from entitlements.owed_receipts import owe_receipt
from licensing.models import User

SALT = "entitlements.links"


class LinkRefused(Exception):
    """A link is not honoured. `status` is the HTTP status that says so."""

    def __init__(self, reason: str, *, status: int) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Redeemed:
    """What a link opened: the kit's bytes, checked against its digest, and the issued row."""

    issued: Download
    version: PackageVersion
    kit: Kit
    file: IO[bytes]


def issue_link(*, entitlement: Entitlement, version: PackageVersion, member: User) -> str:
    """Issue a link's token; it lives for DOWNLOAD_LINK_SECONDS. Raises LinkRefused."""
    if not is_member(entitlement=entitlement, user=member):
        raise LinkRefused("You are not a member of the entity that bought this.", status=403)
    if reason := closed_because(entitlement=entitlement, version=version):
        raise LinkRefused(reason, status=403)
    owe_receipt(entitlement, version)
    issued = Download.objects.create(
        link=uuid.uuid4(),
        event=Download.Event.ISSUED,
        entitlement=entitlement,
        version=version,
        member=member,
        kit_sha256=version.kit_id or "",
    )
    return signing.dumps(issued.link.hex, salt=SALT)


def redeem(*, token: str) -> Redeemed:
    """Open the kit of a link, if everything that let it be issued is still true.

    Raises LinkRefused; a genuine link's refusal is logged, once for each reason.
    """
    issued = _issued(token)
    try:
        return _open(issued)
    except LinkRefused as refusal:
        _deny(issued, str(refusal))
        raise


def _issued(token: str) -> Download:
    try:
        link = signing.loads(token, salt=SALT, max_age=settings.DOWNLOAD_LINK_SECONDS)
    except signing.SignatureExpired:
        _deny_expired(token)
        raise LinkRefused(
            "This link has expired. Your account issues a new one; a download that was cut "
            "continues with it.",
            status=410,
        ) from None
    except signing.BadSignature:
        raise LinkRefused(
            "This is not a link of ours: check that it is whole.", status=404
        ) from None
    issued = _find(link)
    if issued is None:
        raise LinkRefused("This link is unknown.", status=404)
    return issued


def _open(issued: Download) -> Redeemed:
    entitlement, version, member = issued.entitlement, issued.version, _member(issued)
    if entitlement is None or version is None or version.kit is None:
        raise LinkRefused("This link leads to nothing.", status=404)
    if member is None or not is_member(entitlement=entitlement, user=member):
        raise LinkRefused("The person this link was issued to is no longer a member.", status=403)
    if version.kit_id != issued.kit_sha256:
        raise LinkRefused("This link was issued for other bytes.", status=403)
    if reason := closed_because(entitlement=entitlement, version=version):
        raise LinkRefused(reason, status=403)
    file = _file(version.kit)
    # Race: a key revoked, a hold opened, a version withdrawn while the bytes were hashed. What
    # counts is what is true when they are sent.
    version.refresh_from_db(fields=["state", "withdrawal_reason", "benchmark_receipt"])
    if reason := closed_because(entitlement=entitlement, version=version):
        file.close()
        raise LinkRefused(reason, status=403)
    return Redeemed(issued=issued, version=version, kit=version.kit, file=file)


def _file(kit: Kit) -> IO[bytes]:
    try:
        return open_kit(kit)
    except KitDamaged:
        raise LinkRefused(
            "The stored kit is not what was signed, so it is not sent. We have been told.",
            status=503,
        ) from None


def _find(link: str) -> Download | None:
    return (
        Download.objects.select_related("entitlement", "version__kit", "version__package")
        .filter(link=uuid.UUID(link), event=Download.Event.ISSUED)
        .first()
    )


def _member(issued: Download) -> User | None:
    # The log keeps the number of an account that may be gone: there is no foreign key.
    return User.objects.filter(pk=issued.member_id).first() if issued.member_id else None


def _deny_expired(token: str) -> None:
    issued = _find(signing.loads(token, salt=SALT))
    if issued is not None:
        _deny(issued, "expired")


def _deny(issued: Download, reason: str) -> None:
    refused = Download.objects.filter(link=issued.link, event=Download.Event.DENIED)
    # Whoever holds a dead link could ask for ever, and nobody may trim this table.
    if refused.filter(reason=reason[:200]).exists():
        return
    Download.objects.create(
        link=issued.link,
        event=Download.Event.DENIED,
        entitlement=issued.entitlement,
        version=issued.version,
        member_id=issued.member_id,
        kit_sha256=issued.kit_sha256,
        reason=reason[:200],
    )
