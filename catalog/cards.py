"""The live card: one function whose figures the page, the embed and the JSON all show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse

from catalog.claims import LATENCIES
from catalog.definition.figures import json_number
from catalog.definition.measurements import MeasuredPoint
from catalog.models import PackageVersion
from catalog.statements import sealed_findings
from receipts.claims.figures import Finding
from receipts.claims.support import is_supported


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """One measured figure and the point it belongs to."""

    label: str
    value: Decimal
    unit: str
    point: str
    supported: bool  # False where the sample is too small for this percentile
    remarks: tuple[str, ...] = ()  # what the claim checks found of this figure


@dataclass(frozen=True, kw_only=True)
class Card:
    """A version in short. Sizes are in bytes, money in minor units, digests SHA-256 in hex."""

    slug: str
    title: str
    version: str
    tier: str
    released: str
    summary: str
    model: str
    hardware: str
    engine: str
    kit_name: str
    kit_bytes: int
    kit_sha256: str
    weight_sha256: str
    currency: str
    price_minor: int
    maintenance_minor: int
    figures: tuple[KeyFigure, ...]
    stand_ins: tuple[str, ...]
    signed: bool
    key_id: str
    receipt_sha256: str
    package_url: str
    receipt_url: str
    receipt_page_url: str


def card_of(version: PackageVersion) -> Card:
    """The card of a sealed version. Raises ValueError for a draft."""
    kit, receipt, definition = version.kit, version.benchmark_receipt, version.definition
    if kit is None or receipt is None:
        raise ValueError(f"version {version.version} is not sealed")
    findings = sealed_findings(receipt)
    names = [definition.slug, version.version]
    return Card(
        slug=definition.slug,
        title=definition.title,
        version=version.version,
        tier=definition.tier,
        released=definition.released.isoformat(),
        summary=definition.summary,
        model=definition.model.name,
        hardware=definition.hardware.node,
        engine=definition.engine.name,
        kit_name=version.kit_name,
        kit_bytes=kit.size,
        kit_sha256=kit.sha256,
        weight_sha256=kit.weights_sha256,
        currency=definition.price.currency,
        price_minor=definition.price.one_time_minor,
        maintenance_minor=definition.price.maintenance_minor,
        figures=tuple(
            figure
            for index, point in enumerate(definition.serving_curve)
            if isinstance(point, MeasuredPoint)
            for figure in _figures(point, _remarks(findings, f"serving_curve[{index}]"))
        ),
        stand_ins=tuple(each.wording for each in definition.stand_ins),
        signed=not version.signed_by_revoked_key(),
        key_id=receipt.key_id,
        receipt_sha256=receipt.payload_sha256,
        package_url=_absolute("catalog:package", definition.slug),
        receipt_url=_absolute("catalog:receipt", *names),
        receipt_page_url=_absolute("catalog:receipt_page", receipt.payload_sha256),
    )


def as_json(card: Card) -> dict[str, Any]:
    """The card as plain JSON; figures keep their published digits."""
    data = asdict(card)
    data["figures"] = [
        {**asdict(figure), "value": json_number(figure.value)} for figure in card.figures
    ]
    return data


def _remarks(findings: tuple[Finding, ...], path: str) -> dict[str, tuple[str, ...]]:
    """What a reader must know of the figures at a path, by the name of the figure."""
    found: dict[str, tuple[str, ...]] = {}
    for finding in findings:
        place, _, name = finding.path.partition(".")
        if place == path and finding.outcome in {"remark", "accepted"}:
            said = f"{finding.text} {finding.reason or ''}".strip()
            found[name] = (*found.get(name, ()), said)
    return found


def _figures(point: MeasuredPoint, remarks: dict[str, tuple[str, ...]]) -> tuple[KeyFigure, ...]:
    where = f"{point.profile}, concurrency {point.concurrency}"
    return (*_throughput(point, where, remarks), *_latencies(point, where, remarks))


def _throughput(
    point: MeasuredPoint, where: str, remarks: dict[str, tuple[str, ...]]
) -> Iterator[KeyFigure]:
    for label, name in (("Per GPU", "per_gpu"), ("Aggregate", "aggregate")):
        yield KeyFigure(
            label=label,
            value=getattr(point, name),
            unit="output tokens per second",
            point=where,
            supported=True,
            remarks=remarks.get(name, ()),
        )


def _latencies(
    point: MeasuredPoint, where: str, remarks: dict[str, tuple[str, ...]]
) -> Iterator[KeyFigure]:
    for name in LATENCIES:
        latency = getattr(point, name)
        for statistic, value in latency.measured if latency else ():
            yield KeyFigure(
                label=f"{name.upper()} {statistic}",
                value=value,
                unit=latency.unit,
                point=where,
                supported=is_supported(statistic, completed=point.completed),
                remarks=(*remarks.get(name, ()), *remarks.get(f"{name}.{statistic}", ())),
            )


def _absolute(name: str, *arguments: str) -> str:
    return settings.SITE_URL + reverse(name, args=arguments)
