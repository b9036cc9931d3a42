"""The live card: one function whose figures the page, the embed and the JSON all show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse

from catalog.definition.figures import json_number
from catalog.definition.measurements import MeasuredPoint
from catalog.models import PackageVersion
from receipts.claims.support import is_supported


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """One measured figure and the point it belongs to."""

    label: str
    value: Decimal
    unit: str
    point: str
    supported: bool  # False where the sample is too small for this percentile


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
        figures=tuple(figure for point in definition.measured_points for figure in _figures(point)),
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


def _figures(point: MeasuredPoint) -> tuple[KeyFigure, ...]:
    where = f"{point.profile}, concurrency {point.concurrency}"
    rate = "output tokens per second"
    latencies = (
        ("TTFT", point.ttft),
        ("TPOT", point.tpot),
        ("ITL", point.itl),
        ("E2EL", point.e2el),
    )
    return (
        KeyFigure(label="Per GPU", value=point.per_gpu, unit=rate, point=where, supported=True),
        KeyFigure(label="Aggregate", value=point.aggregate, unit=rate, point=where, supported=True),
        *(
            KeyFigure(
                label=f"{label} {statistic}",
                value=value,
                unit=latency.unit,
                point=where,
                supported=is_supported(statistic, completed=point.completed),
            )
            for label, latency in latencies
            if latency
            for statistic, value in latency.measured
        ),
    )


def _absolute(name: str, *arguments: str) -> str:
    return settings.SITE_URL + reverse(name, args=arguments)
