"""Money on its way into the ledger: what a provider brings, and the row that it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum
from django.utils import timezone

from entitlements.models import Payment, Purchase

BANK = "bank"
# With the price a card pays one month of maintenance; a bank transfer brings the first year.
MONTHS_OF = {BANK: 12}


@dataclass(frozen=True, kw_only=True)
class IncomingPayment:
    """Money that a provider says has arrived. Amounts are in minor units of `currency`.

    `tax_minor` is the part of the amount that is tax and no part of the price.
    """

    provider: str
    reference: str
    amount_minor: int
    currency: str
    recorded_by: str
    received_at: datetime | None = None
    tax_minor: int = 0

    @property
    def months(self) -> int:
        """Months of maintenance that a payment of this provider brings at a time."""
        return months_of(self.provider)


def months_of(provider: str) -> int:
    """Months of maintenance that a payment of a provider brings at a time."""
    return MONTHS_OF.get(provider, 1)


class PaymentMismatch(Exception):
    """The money is not what the purchase asks for; the message says what came.

    `payment` is set when the money is there and in no ledger: somebody must decide about it.
    """

    def __init__(
        self,
        message: str = "",
        *,
        payment: IncomingPayment | None = None,
        purchase: Purchase | None = None,
    ) -> None:
        super().__init__(message)
        self.payment, self.purchase = payment, purchase


def require_exact(*, purchase: Purchase, payment: IncomingPayment, asked_minor: int) -> None:
    """Raise PaymentMismatch unless the payment, less its tax, is the amount that is asked for."""
    asked = (asked_minor, purchase.currency)
    brought = (payment.amount_minor - payment.tax_minor, payment.currency.upper())
    if asked != brought:
        raise PaymentMismatch(
            f"purchase {purchase.pk} asks for {asked[0]} {asked[1]} (minor units), "
            f"the payment brings {brought[0]} {brought[1]}",
            payment=payment,
            purchase=purchase,
        )


def find_charge(*, purchase: Purchase, payment: IncomingPayment) -> Payment | None:
    """The row of a payment that was entered before.

    Raises PaymentMismatch when its reference is in the ledger for something else.
    """
    known = Payment.objects.filter(provider=payment.provider, reference=payment.reference).first()
    if known is None:
        return None
    if known.purchase_id != purchase.pk or known.kind != Payment.Kind.CHARGE:
        raise PaymentMismatch(
            f"{payment.provider} {payment.reference} is a {known.kind} of purchase "
            f"{known.purchase_id}, not a charge of {purchase.pk}"
        )
    return known


def enter_charge(*, purchase: Purchase, payment: IncomingPayment) -> Payment:
    """Write the payment into the ledger. The caller holds the purchase's row."""
    return Payment.objects.create(
        purchase=purchase,
        kind=Payment.Kind.CHARGE,
        provider=payment.provider,
        reference=payment.reference,
        amount_minor=payment.amount_minor,
        tax_minor=payment.tax_minor,
        currency=payment.currency.upper(),
        recorded_by=payment.recorded_by,
        received_at=payment.received_at or timezone.now(),
    )


def kept_minor(charge: Payment) -> int:
    """What stays with us of a charge after refunds and disputes, in minor units."""
    moved = charge.moves.aggregate(moved=Sum("amount_minor"))["moved"] or 0
    return charge.amount_minor + moved
