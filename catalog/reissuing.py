"""A new receipt for the bytes of a version whose key was revoked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.db import transaction

from catalog.kits import BuiltKit
from catalog.models import PackageVersion
from catalog.signals import receipt_issued
from catalog.signing import Secret, sign_benchmark_receipt
from catalog.statements import sealed_findings
from catalog.storing import open_kit
from receipts.models import Receipt


class ReissuingRefused(Exception):
    """No new receipt is made; the message says why."""


@transaction.atomic
def reissue_receipt(*, version: PackageVersion, report: Callable[[str], None]) -> Receipt:
    """Sign a version's kit and definition anew, and let the version rest on the new receipt.

    The old receipt stays, and the new one names it. Raises ReissuingRefused, KitNotAccepted,
    KitDamaged, SigningKey.DoesNotExist, PrivateKeyError.
    """
    # Race: of two at once the second waits here, and then finds a receipt that holds.
    found = (
        PackageVersion.objects.select_for_update(of=("self",))
        .select_related("package", "kit", "benchmark_receipt__key")
        .get(pk=version.pk)
    )
    old = _old_receipt(found)
    with tempfile.TemporaryDirectory() as scratch:
        receipt = sign_benchmark_receipt(
            definition=found.definition,
            kit=_copy_of_kit(found, Path(scratch)),
            findings=sealed_findings(old),
            withheld={
                each.name: Secret(salt=bytes(each.salt), content=bytes(each.content))
                for each in found.withheld.all()
            },
            replaces=old,
        )
    report(f"signed the same bytes with key {receipt.key_id}, and verified both as a buyer would")
    found.benchmark_receipt = receipt
    found.save(update_fields=["benchmark_receipt"])
    receipt_issued.send(PackageVersion, version=found)
    return receipt


def _old_receipt(version: PackageVersion) -> Receipt:
    name = f"{version.package.slug} {version.version}"
    if version.state not in (PackageVersion.State.SEALED, PackageVersion.State.PUBLISHED):
        raise ReissuingRefused(f"{name} is {version.state}: it is signed no more")
    if version.benchmark_receipt is None or not version.signed_by_revoked_key():
        raise ReissuingRefused(f"{name}: the key of its receipt is not revoked, so it stays")
    return version.benchmark_receipt


def _copy_of_kit(version: PackageVersion, folder: Path) -> BuiltKit:
    if version.kit is None:
        raise ReissuingRefused(f"version {version.version} has no kit")
    path = folder / version.kit_name
    with open_kit(version.kit) as stored, path.open("wb") as copy:
        shutil.copyfileobj(stored, copy)
    return BuiltKit(
        path=path,
        name=version.kit_name,
        sha256=version.kit.sha256,
        size=version.kit.size,
        sums_sha256=version.kit.sums_sha256,
        weights_sha256=version.kit.weights_sha256,
        files=(),
    )
