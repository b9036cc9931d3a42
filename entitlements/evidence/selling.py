"""Kits, versions and what they withhold: each is what its benchmark receipt signed."""

from __future__ import annotations

from collections.abc import Iterator

from touchstone.statement import Statement

from catalog.definition.package import PublicDefinition
from catalog.models import Kit, PackageVersion, Withheld
from catalog.statements import Commitment, commitment, kit_subjects
from catalog.storing import open_kit
from entitlements.evidence.vouching import statement_of
from entitlements.evidence.walking import Table
from receipts.models import RawFile, Receipt


def selling() -> list[Table]:
    """Kits with their stored bytes, versions from sealed on, what they withhold."""
    sealed = PackageVersion.objects.exclude(state=PackageVersion.State.DRAFT).select_related(
        "package", "kit", "benchmark_receipt__key"
    )
    withheld = Withheld.objects.select_related("version__benchmark_receipt__key")
    return [
        Table(rows=Kit.objects.order_by("pk"), problems=_kit),
        Table(rows=sealed.order_by("pk"), problems=_version),
        Table(rows=withheld.order_by("pk"), problems=_withheld),
    ]


def _kit(kit: Kit) -> Iterator[str]:
    with open_kit(kit) as stored:
        if stored.seek(0, 2) != kit.size:
            yield "the size is not that of its bytes"


def _version(version: PackageVersion) -> Iterator[str]:
    kit, receipt = version.kit, version.benchmark_receipt
    if kit is None or receipt is None:
        yield f"it is {version.state} without a kit or a benchmark receipt"
        return
    if receipt.kind != Receipt.Kind.BENCHMARK:
        yield "its receipt is no benchmark receipt"
    signed = statement_of(receipt)
    if signed.subjects != tuple(
        kit_subjects(
            name=version.kit_name,
            kit=kit.sha256,
            sums=kit.sums_sha256,
            weights=kit.weights_sha256,
        )
    ):
        yield "its receipt is of another kit"
    if _public(version.data) != _public(signed.predicate["definition"]):
        yield "the definition is not the one that was signed"
    names = {each.name for each in version.withheld.all()}
    if names != set(_commitments(signed)):
        yield "what it withholds is not what its receipt binds"
    for file in version.definition.raw_files:
        if not RawFile.objects.filter(pk=file.sha256).exists():
            yield f"its raw file {file.sha256} is gone"


def _withheld(withheld: Withheld) -> Iterator[str]:
    receipt = withheld.version.benchmark_receipt
    if receipt is None:
        return  # a draft binds nothing yet
    bound = _commitments(statement_of(receipt)).get(withheld.name)
    digest = commitment(salt=bytes(withheld.salt), content=bytes(withheld.content))
    if bound != Commitment(digest=digest).model_dump():
        yield "is not what the benchmark receipt binds"


def _commitments(signed: Statement) -> dict[str, object]:
    bound = signed.predicate["commitments"]
    return bound if isinstance(bound, dict) else {}


def _public(data: object) -> PublicDefinition:
    fields = data if isinstance(data, dict) else {}
    known = PublicDefinition.model_fields
    return PublicDefinition.model_validate({name: fields[name] for name in fields if name in known})
