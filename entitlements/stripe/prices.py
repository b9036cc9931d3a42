"""What definitions ask, as products and prices at Stripe. An amount that changed is a new price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catalog.models import Package, PackageVersion
from entitlements.models import ProviderPrice, Purchase
from entitlements.stripe.client import PROVIDER, client

Term = ProviderPrice.Term
Report = Callable[[str], object]
AMOUNT_OF = {Term.ONCE: "price_minor", Term.MONTH: "maintenance_minor"}


def sync_prices(*, report: Report) -> None:
    """Let Stripe have the prices of every package on sale; run again, it changes nothing.

    Raises StripeNotConfigured, StripeError.
    """
    newest: dict[int, PackageVersion] = {}
    for version in PackageVersion.on_sale():
        newest.setdefault(version.package_id, version)
    for version in newest.values():
        price = version.definition.price
        amounts = {Term.ONCE: price.one_time_minor, Term.MONTH: price.maintenance_minor}
        for term, minor in amounts.items():
            current = _current(version, term, price.currency, minor, report)
            _archive(current, report)


def price_for(purchase: Purchase, term: str) -> str:
    """The id of the price that a purchase agreed to, or "" when Stripe has none in use."""
    row = ProviderPrice.objects.filter(
        package=purchase.package_id,
        provider=PROVIDER,
        term=term,
        currency=purchase.currency,
        amount_minor=getattr(purchase, AMOUNT_OF[Term(term)]),
        active=True,
    ).first()
    return row.reference if row else ""


def product_names(version: PackageVersion) -> dict[str, str]:
    """What the lines of an invoice are called."""
    title = version.definition.title
    return {Term.ONCE: title, Term.MONTH: f"Maintenance: {title}"}


def _current(
    version: PackageVersion, term: Term, currency: str, minor: int, report: Report
) -> ProviderPrice:
    product = _product(version, term)
    key = f"{product}-{currency.lower()}"
    row = ProviderPrice.objects.filter(
        provider=PROVIDER, package=version.package, term=term, currency=currency, amount_minor=minor
    ).first()
    there = client().v1.prices.list(params={"lookup_keys": [key], "active": True}).data
    found = next((each.id for each in there if each.unit_amount == minor), "")
    if row is not None and row.active and row.reference == found:
        return row
    if row is not None and row.reference != found:
        # It was this amount before: the same price again, in use.
        again: Any = {"active": True, "lookup_key": key, "transfer_lookup_key": True}
        found = client().v1.prices.update(row.reference, params=again).id
    found = found or _create(product, key, term, currency, minor)
    row, _ = ProviderPrice.objects.update_or_create(
        provider=PROVIDER,
        package=version.package,
        term=term,
        currency=currency,
        amount_minor=minor,
        defaults={"product": product, "reference": found, "active": True},
    )
    report(f"{version.package.slug}: {row}")
    return row


def _product(version: PackageVersion, term: Term) -> str:
    from stripe import InvalidRequestError  # see client.py

    identifier = f"touchstone-{version.package.slug}-{term.value}"
    name = product_names(version)[term]
    products = client().v1.products
    try:
        product = products.retrieve(identifier)
    except InvalidRequestError as refusal:
        if refusal.code != "resource_missing":
            raise
        product = products.create(params={"id": identifier, "name": name})
    if product.name != name:
        products.update(identifier, params={"name": name})
    return identifier


def _create(product: str, key: str, term: Term, currency: str, minor: int) -> str:
    params: dict[str, Any] = {
        "product": product,
        "currency": currency.lower(),
        "unit_amount": minor,
        "tax_behavior": "exclusive",
        "lookup_key": key,
        "transfer_lookup_key": True,
    }
    if term == Term.MONTH:
        params["recurring"] = {"interval": "month"}
    return client().v1.prices.create(params=params).id  # type: ignore[arg-type]  # the SDK wants its TypedDict, this dict is built by parts


def _archive(current: ProviderPrice, report: Report) -> None:
    """Take former prices out of use, but for those that a purchase is still to be paid at."""
    former = ProviderPrice.objects.filter(
        provider=PROVIDER, package=current.package, term=current.term, active=True
    ).exclude(pk=current.pk)
    for row in former:
        if _is_awaited(row.package, row):
            report(f"{row.package.slug}: {row} stays until its purchases are paid")
            continue
        client().v1.prices.update(row.reference, params={"active": False})
        row.active = False
        row.save(update_fields=["active"])
        report(f"{row.package.slug}: {row} archived")


def _is_awaited(package: Package, row: ProviderPrice) -> bool:
    asked = {AMOUNT_OF[Term(row.term)]: row.amount_minor}
    pending = Purchase.objects.filter(package=package, state=Purchase.State.PENDING)
    return pending.filter(currency=row.currency, **asked).exists()
