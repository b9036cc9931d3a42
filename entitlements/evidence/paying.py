"""Purchases, payments, entitlements, maintenance, buyer receipts: each is of the one before."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dateutil.relativedelta import relativedelta
from django.db.models import Exists, OuterRef

from catalog.statements import kit_subjects
from entitlements.buyer_statements import BuyerPredicate, buyer_predicate
from entitlements.entering import months_of
from entitlements.evidence.vouching import statement_of
from entitlements.evidence.walking import Table
from entitlements.models import (
    AdditionalSignature,
    BuyerReceipt,
    Entitlement,
    MaintenancePeriod,
    Payment,
    Purchase,
)
from entitlements.refunds import refunded_minor
from receipts.models import Receipt


def paying() -> list[Table]:
    """Everything from a purchase to its buyer receipts."""
    purchases = Purchase.objects.select_related("version", "signature").annotate(
        is_entitled=Exists(Entitlement.objects.filter(purchase=OuterRef("pk")))
    )
    payments = Payment.objects.select_related("purchase", "charge")
    entitlements = Entitlement.objects.select_related("purchase", "payment", "signature")
    periods = MaintenancePeriod.objects.select_related("entitlement", "payment")
    additional = AdditionalSignature.objects.select_related("entitlement", "signature")
    receipts = BuyerReceipt.objects.select_related(
        "benchmark_receipt",
        "entitlement__signature__terms",
        "receipt__key",
        "version__kit",
        "version__package",
    )
    return [
        Table(rows=purchases.order_by("pk"), problems=_purchase),
        Table(rows=payments.order_by("received_at", "pk"), problems=_payment),
        Table(rows=entitlements.order_by("granted_at", "pk"), problems=_entitlement),
        Table(rows=additional.order_by("pk"), problems=_additional),
        Table(rows=periods.order_by("pk"), problems=_period),
        Table(rows=receipts.order_by("pk"), problems=_buyer_receipt),
    ]


def _purchase(purchase: Purchase) -> Iterator[str]:
    signature, version = purchase.signature, purchase.version
    if (signature.entity_id, signature.package_id) != (purchase.entity_id, purchase.package_id):
        yield "its signature is of another entity or package"
    if version.package_id != purchase.package_id:
        yield "its version is of another package"
    price = version.definition.price
    asked = (price.currency, price.one_time_minor, price.maintenance_minor)
    if (purchase.currency, purchase.price_minor, purchase.maintenance_minor) != asked:
        yield "the price is not its version's"
    paid = purchase.state == Purchase.State.PAID
    if paid is not vars(purchase)["is_entitled"]:
        yield "it is paid without an entitlement" if paid else "an entitlement, but not paid"


def _payment(payment: Payment) -> Iterator[str]:
    purchase = payment.purchase
    if purchase.state != Purchase.State.PAID:
        yield "its purchase is not paid"
    if payment.currency != purchase.currency:
        yield "the currency is not its purchase's"
    if (payment.amount_minor > 0) is not (payment.kind in Payment.INCOMING):
        yield f"the amount has not the sign of a {payment.kind}"
    if payment.kind != Payment.Kind.CHARGE:
        yield from _move(payment)
    elif refunded_minor(payment) > payment.amount_minor:
        yield "more was refunded than was paid"


def _move(payment: Payment) -> Iterator[str]:
    charge = payment.charge
    if charge is None or charge.kind != Payment.Kind.CHARGE:
        yield f"it is a {payment.kind} of no charge"
    elif charge.purchase_id != payment.purchase_id:
        yield "it moves a charge of another purchase"


def _entitlement(entitlement: Entitlement) -> Iterator[str]:
    purchase, payment = entitlement.purchase, entitlement.payment
    for name in ("signature_id", "entity_id", "package_id", "version_id"):
        if getattr(entitlement, name) != getattr(purchase, name):
            yield f"its {name.removesuffix('_id')} is not its purchase's"
    if payment.purchase_id != purchase.pk or payment.kind != Payment.Kind.CHARGE:
        yield "its payment is no charge of its purchase"
    asked = purchase.price_minor + months_of(payment.provider) * purchase.maintenance_minor
    brought = (payment.amount_minor - payment.tax_minor, payment.currency)
    if brought != (asked, purchase.currency):
        yield "its payment is not the price"
    if not entitlement.granted_at == payment.received_at == purchase.paid_at:
        yield "it was not granted when it was paid"
    if not entitlement.maintenance_periods.filter(payment=payment).exists():
        yield "its first maintenance period is gone"
    if not entitlement.buyer_receipts.filter(version=entitlement.version_id).exists():
        yield "its buyer receipt is gone"


def _additional(row: AdditionalSignature) -> Iterator[str]:
    for of in (row.entitlement, row.signature):
        if (of.entity_id, of.package_id) != (row.entity_id, row.package_id):
            yield "its entitlement or its signature is of another entity or package"
    if Purchase.objects.filter(signature=row.signature_id).exists():
        yield "its signature was bought with"


def _period(period: MaintenancePeriod) -> Iterator[str]:
    entitlement, payment = period.entitlement, period.payment
    if payment.purchase_id != entitlement.purchase_id or payment.kind != Payment.Kind.CHARGE:
        yield "its payment is no charge of its purchase"
    if period.ends_at <= period.starts_at:
        yield "it ends before it begins"
    until = payment.received_at + relativedelta(months=months_of(payment.provider))
    first = (payment.received_at, until)
    if payment.pk == entitlement.payment_id and (period.starts_at, period.ends_at) != first:
        yield "the first period is not what the payment brought"


def _buyer_receipt(row: BuyerReceipt) -> Iterator[str]:
    receipt, version, benchmark = row.receipt, row.version, row.benchmark_receipt
    if (receipt.kind, benchmark.kind) != (Receipt.Kind.BUYER, Receipt.Kind.BENCHMARK):
        yield "its receipt is no buyer receipt, or the one it opens is no benchmark receipt"
    kit = version.kit
    if kit is None or version.package_id != row.entitlement.package_id:
        yield "its version has no kit, or is of another package"
        return
    signed = statement_of(receipt)
    subjects = kit_subjects(
        name=version.kit_name, kit=kit.sha256, sums=kit.sums_sha256, weights=kit.weights_sha256
    )
    if signed.subjects != tuple(subjects):
        yield "the receipt is of another kit"
    said, meant = _read(signed.predicate), _read(_meant(row))
    for name in BuyerPredicate.model_fields:
        if getattr(said, name) != getattr(meant, name):
            yield f"the receipt and the rows differ in {name}"


def _read(predicate: dict[str, object]) -> BuyerPredicate:
    return BuyerPredicate.model_validate_json(json.dumps(predicate))


def _meant(row: BuyerReceipt) -> dict[str, object]:
    former = BuyerReceipt.objects.filter(
        entitlement=row.entitlement, version=row.version, pk__lt=row.pk
    ).first()
    return buyer_predicate(
        entitlement=row.entitlement,
        version=row.version,
        benchmark=row.benchmark_receipt,
        replaces=former.receipt if former else None,
    )
