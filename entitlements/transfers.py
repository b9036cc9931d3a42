"""Bank transfers: what arrived is entered when it is exact, and held for finance when it is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time

from django.db import transaction
from django.utils import timezone

from entitlements.completion import complete_purchase
from entitlements.desk.log import DeskRefused, log_action
from entitlements.entering import BANK, MONTHS_OF, IncomingPayment
from entitlements.models import HeldPayment, Hold, Payment, Purchase
from entitlements.renewing import renew_maintenance
from licensing.models import User
from receipts.locking import lock_exclusively
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError

LONGEST_REFERENCE = 50
MOST = 2**63 - 1  # what the ledger's column holds


class TransferRefused(DeskRefused):
    """The transfer is not recorded; the message names the field and says why."""


def asked_of(purchase: Purchase) -> int:
    """What a transfer must bring now, in minor units: price and a year, or a year more."""
    price = purchase.price_minor if purchase.state == Purchase.State.PENDING else 0
    return price + MONTHS_OF[BANK] * purchase.maintenance_minor


def why_held(*, purchase: Purchase | None, amount_minor: int, currency: str) -> str:
    """Why this money would open nothing and be held for finance; "" when it is exact."""
    if purchase is None:
        return "It names no purchase."
    hold = Hold.objects.filter(entitlement__purchase=purchase, released_at__isnull=True).first()
    if hold is not None:
        return f"Access to the purchase is closed: {hold.get_reason_display()}."
    if currency.upper() != purchase.currency:
        return f"It is in {currency.upper()}; the purchase is in {purchase.currency}."
    asked = asked_of(purchase)
    paid = "for 12 months more" if purchase.state == Purchase.State.PAID else "with 12 months"
    if amount_minor != asked:
        off = "too little" if amount_minor < asked else "too much"
        return f"It is {off}: {asked} minor units are asked {paid}, {amount_minor} came."
    return ""


@transaction.atomic
def record_transfer(
    *,
    purchase: Purchase | None,
    amount_minor: int,
    currency: str,
    received_on: date,
    reference: str,
    recorded_by: str,
    actor: User,
    why: str,
) -> Payment | HeldPayment:
    """Enter a transfer that is exact, through the one door or its sibling; hold any other.

    `reference` is the bank's own: recorded again, its row comes back and nothing changes.
    Raises TransferRefused and DeskRefused.
    """
    reference, currency = reference.strip(), currency.upper()
    _require_sane(amount_minor, currency, received_on, reference)
    # Race: two people record one transfer at once, perhaps for different purchases. The second
    # waits here, then finds the row of the first in either table.
    lock_exclusively(f"bank transfer {reference}")
    known = find_transfer(reference)
    if known is not None:
        return _require_same(known, purchase, amount_minor, currency)
    bought = lock_purchase(purchase) if purchase else None
    reason = why_held(purchase=bought, amount_minor=amount_minor, currency=currency)
    received_at = datetime.combine(received_on, time(), tzinfo=UTC)
    row: Payment | HeldPayment
    if bought is not None and not reason:
        payment = IncomingPayment(
            provider=BANK,
            reference=reference,
            amount_minor=amount_minor,
            currency=currency,
            recorded_by=recorded_by,
            received_at=received_at,
        )
        row = enter_transfer(purchase=bought, payment=payment)
    else:
        row = HeldPayment.objects.create(
            purchase=bought,
            provider=BANK,
            reference=reference,
            amount_minor=amount_minor,
            currency=currency,
            received_at=received_at,
            reason=reason,
            recorded_by=recorded_by,
        )
    log_action(
        actor=actor,
        action="record_transfer",
        subject=f"purchase {bought.pk}" if bought else f"held payment {row.pk}",
        why=why,
        details={
            "reference": reference,
            "amount_minor": amount_minor,
            "currency": currency,
            "received_on": received_on.isoformat(),
            "held": reason,
        },
    )
    return row


def enter_transfer(*, purchase: Purchase, payment: IncomingPayment) -> Payment:
    """Bring exact money to the door: completion, or a year more of maintenance.

    The caller holds the purchase's row and knows that nothing of this reference is entered.
    """
    try:
        if purchase.state == Purchase.State.PENDING:
            # No right begins before its purchase: of the day of opening, only the rest counts.
            begins = max(payment.received_at or timezone.now(), purchase.created_at)
            complete_purchase(purchase=purchase, payment=replace(payment, received_at=begins))
        else:
            renew_maintenance(purchase=purchase, payment=payment)
    except (SigningKey.DoesNotExist, PrivateKeyError) as error:
        raise TransferRefused(
            "Nothing was recorded: the store has no key to sign the buyer receipt with. Make one "
            "(docs/operations.md, Keys), then record the transfer again."
        ) from error
    return Payment.objects.get(provider=BANK, reference=payment.reference)


def find_transfer(reference: str) -> Payment | HeldPayment | None:
    """The row of a transfer that was recorded before, entered or held."""
    entered = Payment.objects.filter(provider=BANK, reference=reference).first()
    return entered or HeldPayment.objects.filter(provider=BANK, reference=reference).first()


def lock_purchase(purchase: Purchase) -> Purchase:
    """The purchase as it is now, held until the transaction ends."""
    return Purchase.objects.select_for_update(of=("self",)).get(pk=purchase.pk)


def _require_sane(amount_minor: int, currency: str, received_on: date, reference: str) -> None:
    if not 1 <= len(reference) <= LONGEST_REFERENCE or not reference.isprintable():
        raise TransferRefused(f"reference: 1 to {LONGEST_REFERENCE} printable characters.")
    if not 0 < amount_minor <= MOST:
        raise TransferRefused("amount: more than nothing, in minor units.")
    if len(currency) != len("USD") or not (currency.isascii() and currency.isalpha()):
        raise TransferRefused("currency: three letters, as USD.")
    if received_on > timezone.now().date():
        raise TransferRefused("received on: that day is still to come.")


def _require_same(
    known: Payment | HeldPayment, purchase: Purchase | None, amount_minor: int, currency: str
) -> Payment | HeldPayment:
    of_another = purchase is not None and known.purchase_id not in (None, purchase.pk)
    if of_another or (known.amount_minor, known.currency) != (amount_minor, currency):
        raise TransferRefused(
            f"reference: {known.reference} is recorded already, {known.amount_minor} "
            f"{known.currency} (minor units) for purchase {known.purchase_id or 'unknown'}. Is "
            "this another transfer, or a slip of the pen?"
        )
    return known
