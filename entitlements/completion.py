"""The one door: money in, right out, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dateutil.relativedelta import relativedelta
from django.db import transaction
from django.utils import timezone

from entitlements.buyer_receipts import issue_buyer_receipt
from entitlements.models import Entitlement, MaintenancePeriod, Payment, Purchase
from entitlements.outbox import enqueue
from entitlements.owed_receipts import owe_receipts


class PaymentMismatch(Exception):
    """The money is not what the purchase asks for; the message says what came."""


@dataclass(frozen=True, kw_only=True)
class IncomingPayment:
    """Money that a provider says has arrived. `amount_minor` is in minor units of `currency`."""

    provider: str
    reference: str
    amount_minor: int
    currency: str
    recorded_by: str
    received_at: datetime | None = None


@transaction.atomic
def complete_purchase(*, purchase: Purchase, payment: IncomingPayment) -> Entitlement:
    """Write payment, entitlement, first maintenance month, buyer receipt and mail, or nothing.

    The same payment again returns the entitlement it brought. A second payment for a
    purchase that is paid is recorded and handed back by the outbox. Raises PaymentMismatch,
    SigningKey.DoesNotExist, PrivateKeyError.
    """
    # Race: an event and the return page bring one payment at once. The second waits here,
    # then finds the first one's rows.
    bought = (
        Purchase.objects.select_for_update(of=("self",))
        .select_related("version__kit", "version__package", "signature__terms", "entity")
        .get(pk=purchase.pk)
    )
    if bought.state == Purchase.State.PAID:
        return _already_paid(bought, payment)
    _require_exact(bought, payment)
    row = _enter(bought, payment)
    entitlement = Entitlement.objects.create(
        purchase=bought,
        signature=bought.signature,
        entity=bought.entity,
        package_id=bought.package_id,
        version=bought.version,
        payment=row,
        granted_at=row.received_at,
    )
    MaintenancePeriod.objects.create(
        entitlement=entitlement,
        payment=row,
        starts_at=row.received_at,
        ends_at=row.received_at + relativedelta(months=1),
    )
    issue_buyer_receipt(entitlement=entitlement, version=bought.version)
    bought.state, bought.paid_at = Purchase.State.PAID, row.received_at
    bought.save(update_fields=["state", "paid_at"])
    owe_receipts(entitlement)
    enqueue("purchase_completed", {"purchase": str(bought.pk)})
    return entitlement


def _already_paid(purchase: Purchase, payment: IncomingPayment) -> Entitlement:
    known = Payment.objects.filter(provider=payment.provider, reference=payment.reference)
    if not known.exists():
        row = _enter(purchase, payment)
        enqueue("refund_duplicate", {"payment": str(row.pk)})
    return Entitlement.objects.get(purchase=purchase)


def _require_exact(purchase: Purchase, payment: IncomingPayment) -> None:
    asked = (purchase.total_minor, purchase.currency)
    brought = (payment.amount_minor, payment.currency.upper())
    if asked != brought:
        raise PaymentMismatch(
            f"purchase {purchase.pk} asks for {asked[0]} {asked[1]} (minor units), "
            f"the payment brings {brought[0]} {brought[1]}"
        )


def _enter(purchase: Purchase, payment: IncomingPayment) -> Payment:
    return Payment.objects.create(
        purchase=purchase,
        kind=Payment.Kind.CHARGE,
        provider=payment.provider,
        reference=payment.reference,
        amount_minor=payment.amount_minor,
        currency=payment.currency.upper(),
        recorded_by=payment.recorded_by,
        received_at=payment.received_at or timezone.now(),
    )
