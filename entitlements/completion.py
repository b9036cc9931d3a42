"""The one door: money in, right out, in one transaction."""

from __future__ import annotations

from dateutil.relativedelta import relativedelta
from django.db import transaction

from catalog.models import PackageVersion
from entitlements.buyer_receipts import issue_buyer_receipt
from entitlements.entering import (
    IncomingPayment,
    PaymentMismatch,
    enter_charge,
    find_charge,
    require_exact,
)
from entitlements.models import Entitlement, MaintenancePeriod, Purchase
from entitlements.outbox import enqueue
from entitlements.owed_receipts import owe_receipts
from entitlements.refunds import request_refund


@transaction.atomic
def complete_purchase(*, purchase: Purchase, payment: IncomingPayment) -> Entitlement:
    """Write payment, entitlement, first maintenance period, buyer receipt and mail, or nothing.

    The same payment again returns the entitlement it brought. A second payment for a
    purchase that is paid is recorded and goes back by the outbox. Raises PaymentMismatch,
    SigningKey.DoesNotExist, PrivateKeyError.
    """
    # Race: an event and the return page bring one payment at once. The second waits here,
    # then finds the first one's rows.
    bought = (
        Purchase.objects.select_for_update(of=("self",))
        .select_related("signature__terms")
        .defer("signature__terms_body", "signature__terms__body")
        .get(pk=purchase.pk)
    )
    if bought.state == Purchase.State.PAID:
        return _already_paid(bought, payment)
    asked = bought.price_minor + payment.months * bought.maintenance_minor
    require_exact(purchase=bought, payment=payment, asked_minor=asked)
    find_charge(purchase=bought, payment=payment)  # a reference of another purchase is refused
    row = enter_charge(purchase=bought, payment=payment)
    entitlement = Entitlement.objects.create(
        purchase=bought,
        signature=bought.signature,
        entity_id=bought.entity_id,
        package_id=bought.package_id,
        version_id=bought.version_id,
        payment=row,
        granted_at=row.received_at,
    )
    MaintenancePeriod.objects.create(
        entitlement=entitlement,
        payment=row,
        starts_at=row.received_at,
        ends_at=row.received_at + relativedelta(months=payment.months),
    )
    # A query of its own: planning one join of all these takes Postgres longer than both.
    version = (
        PackageVersion.objects.select_related("kit", "package", "benchmark_receipt")
        .defer("data", "story", "benchmark_receipt__envelope")
        .get(pk=bought.version_id)
    )
    issue_buyer_receipt(entitlement=entitlement, version=version)
    bought.state, bought.paid_at = Purchase.State.PAID, row.received_at
    bought.save(update_fields=["state", "paid_at"])
    owe_receipts(entitlement, bought_now=True)
    enqueue("purchase_completed", {"purchase": str(bought.pk)})
    return entitlement


def _already_paid(purchase: Purchase, payment: IncomingPayment) -> Entitlement:
    if find_charge(purchase=purchase, payment=payment) is None:
        if payment.currency.upper() != purchase.currency:
            # The ledger of a purchase has one currency: finance sends this one back.
            raise PaymentMismatch(
                f"purchase {purchase.pk} is paid, and this payment is in another currency",
                payment=payment,
                purchase=purchase,
            )
        twice = enter_charge(purchase=purchase, payment=payment)
        request_refund(charge=twice, why="paid twice", requested_by="store: duplicate payment")
    return Entitlement.objects.get(purchase=purchase)
