"""Publishing: from a package folder to a sealed, signed version on sale."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from catalog.kits import BuiltKit
from catalog.models import Kit, Package, PackageVersion, Withheld
from catalog.raw_files import store_raw_files
from catalog.signals import receipt_issued
from catalog.signing import Secret, sign_benchmark_receipt
from catalog.sources import Source, read_source
from catalog.storing import store_kit


class PublishingRefused(Exception):
    """The version cannot be published; the message says why and what to do."""


def _say_nothing(line: str) -> None:
    del line


def publish_version(
    *, folder: Path, report: Callable[[str], None] = _say_nothing
) -> tuple[PackageVersion, bool]:
    """Publish the version that `folder` defines; returns it and whether it is new.

    The same content again changes nothing. Raises DefinitionError, ClaimsRefused, KitRefused,
    KitNotAccepted, SigningKey.DoesNotExist, PrivateKeyError, and PublishingRefused for other
    content under a version that exists.
    """
    with tempfile.TemporaryDirectory() as scratch:
        source = read_source(folder=folder, destination=Path(scratch), report=report)
        with transaction.atomic():
            package, _ = Package.objects.get_or_create(slug=source.definition.slug)
            # Two publishers of one package take turns here.
            Package.objects.select_for_update().get(pk=package.pk)
            if existing := package.versions.filter(version=source.definition.version).first():
                return _unchanged(existing, source), False
            version = _seal(package=package, source=source, report=report)
            version.state = PackageVersion.State.PUBLISHED
            version.published_at = timezone.now()
            version.save(update_fields=["state", "published_at"])
            receipt_issued.send(PackageVersion, version=version)
    report(f"published {version.package.slug} {version.version}")
    return version, True


def _unchanged(existing: PackageVersion, source: Source) -> PackageVersion:
    if existing.content_sha256 != source.content_sha256:
        raise PublishingRefused(
            f"version: {existing.version} exists with other content, and a sealed version is "
            "final. Give the changed content a new version."
        )
    return existing


def _seal(*, package: Package, source: Source, report: Callable[[str], None]) -> PackageVersion:
    kit = source.kit
    withheld = {
        name: Secret(salt=secrets.token_bytes(32), content=body)
        for name, body in source.withheld.items()
    }
    receipt = sign_benchmark_receipt(
        definition=source.definition, kit=kit, findings=source.findings, withheld=withheld
    )
    report(f"signed the benchmark receipt with key {receipt.key_id}")
    report("verified kit and receipt as a buyer would")
    store_raw_files(source.raw)
    version = PackageVersion.objects.create(
        package=package,
        version=source.definition.version,
        state=PackageVersion.State.SEALED,
        data=source.definition.as_data(),
        story=source.story,
        content_sha256=source.content_sha256,
        kit=_keep(kit),
        benchmark_receipt=receipt,
    )
    Withheld.objects.bulk_create(
        Withheld(version=version, name=name, salt=secret.salt, content=secret.content)
        for name, secret in withheld.items()
    )
    return version


def _keep(kit: BuiltKit) -> Kit:
    kept, _ = Kit.objects.get_or_create(
        sha256=kit.sha256,
        defaults={
            "size": kit.size,
            "path": store_kit(kit.path, sha256=kit.sha256),
            "sums_sha256": kit.sums_sha256,
            "weights_sha256": kit.weights_sha256,
            "files": [
                {"name": file.name, "size": file.size, "sha256": file.sha256} for file in kit.files
            ],
        },
    )
    return kept
