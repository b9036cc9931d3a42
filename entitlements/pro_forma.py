"""Pro-forma invoices: what a bank transfer for a purchase must bring, written down once."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from entitlements.entering import BANK, MONTHS_OF
from entitlements.models import ProForma, Purchase
from entitlements.purchasing import PurchaseRefused, refuse_unsigned
from entitlements.seller import seller
from licensing.models import LicensedEntity

MONTHS = MONTHS_OF[BANK]


class ProFormaRefused(Exception):
    """There is no pro-forma invoice for this purchase; the message says why."""


def asked_by_transfer(purchase: Purchase) -> int:
    """What a transfer for a purchase must bring: the price and a year, in minor units."""
    return purchase.price_minor + MONTHS * purchase.maintenance_minor


@transaction.atomic
def issue_pro_forma(*, purchase: Purchase, purchase_order: str = "") -> ProForma:
    """Write down what a transfer must bring and whom it bills; asked again, it comes back.

    `purchase_order` is the buyer's own number; left empty, the purchase's stays. What was
    issued is final. Raises ProFormaRefused.
    """
    # Race: two members ask at once. The second waits here, then finds the first one's.
    wanted = (
        Purchase.objects.select_for_update(of=("self",))
        .select_related("entity", "version")
        .get(pk=purchase.pk)
    )
    known = ProForma.objects.filter(purchase=wanted).first()
    if known is not None:
        return known
    _refuse(wanted)
    if purchase_order and purchase_order != wanted.purchase_order:
        wanted.purchase_order = purchase_order
        wanted.save(update_fields=["purchase_order"])
    return ProForma.objects.create(
        purchase=wanted,
        months=MONTHS,
        amount_minor=asked_by_transfer(wanted),
        currency=wanted.currency,
        purchase_order=wanted.purchase_order,
        billed_to=billed_to(wanted.entity),
    )


def _refuse(purchase: Purchase) -> None:
    if seller() is None:
        raise ProFormaRefused("This store takes no bank transfers: please pay by card.")
    if purchase.state != Purchase.State.PENDING:
        raise ProFormaRefused("This purchase is paid: there is nothing to invoice.")
    try:
        refuse_unsigned(purchase.version)
    except PurchaseRefused as refusal:
        raise ProFormaRefused(str(refusal)) from refusal


def billed_to(entity: LicensedEntity) -> dict[str, Any]:
    """An entity as it is named today, for a paper that keeps it so."""
    names = ("legal_name", "registration_number", "country", "address", "tax_number")
    return {name: getattr(entity, name) for name in names}
