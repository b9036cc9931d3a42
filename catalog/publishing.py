"""Publishing: from a package folder to a sealed, signed version on sale."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.db import transaction
from django.utils import timezone
from touchstone.statement import BENCHMARK_RECEIPT
from touchstone.verifying import verify_kit

from catalog.kits import BuiltKit
from catalog.models import Kit, Package, PackageVersion, Withheld
from catalog.raw_files import store_raw_files
from catalog.sources import Source, read_source
from catalog.statements import benchmark_predicate, commitment, kit_subjects
from catalog.storing import store_kit
from receipts.keys import keys_document
from receipts.models import Receipt
from receipts.signing import sign_receipt


class PublishingRefused(Exception):
    """The version cannot be published; the message says why and what to do."""


def _say_nothing(line: str) -> None:
    del line


def publish_version(
    *, folder: Path, report: Callable[[str], None] = _say_nothing
) -> tuple[PackageVersion, bool]:
    """Publish the version that `folder` defines; returns it and whether it is new.

    The same content again changes nothing. Raises DefinitionError, ClaimsRefused, KitRefused,
    SigningKey.DoesNotExist, PrivateKeyError, and PublishingRefused for other content under
    a version that exists.
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
    kit, salts = source.kit, {name: secrets.token_bytes(32) for name in source.withheld}
    receipt = sign_receipt(
        kind=Receipt.Kind.BENCHMARK,
        subjects=kit_subjects(
            name=kit.name, kit=kit.sha256, sums=kit.sums_sha256, weights=kit.weights_sha256
        ),
        predicate_type=BENCHMARK_RECEIPT,
        predicate=benchmark_predicate(
            definition=source.definition,
            kit=kit,
            findings=source.findings,
            commitments={
                name: commitment(salt=salts[name], content=body)
                for name, body in source.withheld.items()
            },
        ),
    )
    report(f"signed the benchmark receipt with key {receipt.key_id}")
    _verify(kit=kit, receipt=receipt)
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
        Withheld(version=version, name=name, salt=salts[name], content=body)
        for name, body in source.withheld.items()
    )
    return version


def _verify(*, kit: BuiltKit, receipt: Receipt) -> None:
    checked = verify_kit(kit=kit.path, receipt=bytes(receipt.envelope), keys=keys_document())
    if checked.exit_code != 0:
        raise PublishingRefused(f"the verifier does not accept this kit:\n{checked.as_text()}")


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
