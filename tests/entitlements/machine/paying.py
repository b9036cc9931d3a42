"""Rules of the machine: money comes, once or twice, exact or not, and goes back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from entitlements.completion import complete_purchase
from entitlements.disputes import track_dispute
from entitlements.entering import PaymentMismatch
from entitlements.models import Payment, Refund
from entitlements.refunds import RefundRefused, record_refund, track_refund
from entitlements.renewing import NotBought, renew_maintenance
from receipts.models import SigningKey
from tests.entitlements.machine.acting import PLACES, Acting, attempt
from tests.entitlements.machine.buying import MONTH
from tests.entitlements.machine.model import Charge, Sale, pick
from tests.shop import payment_for

PART = 1_000
WRONG: tuple[dict[str, Any], ...] = (
    {"amount_minor": 1},
    {"currency": "EUR"},
    {"amount_minor": 10**9},
)
# What a dispute may become.
NEXT = {"": ("warning", "open", "won", "lost"), "open": ("won", "lost")}
NEXT["warning"] = NEXT[""]


class Paying(Acting):
    """Charges, renewals, refunds, disputes."""

    @precondition(lambda self: self.store.sales)
    @rule(number=PLACES, lapsed=st.booleans())
    def pay(self, number: int, lapsed: bool) -> None:
        """The exact amount. What came in two months ago paid for a month that is over."""
        sale = pick(self.store.sales, number)
        ago = timedelta(days=60 if lapsed else 0)
        payment = payment_for(sale.row, received_at=timezone.now() - ago)
        done = attempt(
            lambda: complete_purchase(purchase=sale.row, payment=payment),
            may=sale.paid or "buyer" in self.store.keys,
            refused=SigningKey.DoesNotExist,
        )
        if done is not None:
            assert done.purchase_id == sale.row.pk
            sale.lapsed = sale.lapsed if sale.paid else lapsed
            self._came(sale, payment.reference)

    def _came(self, sale: Sale, reference: str) -> Charge:
        row = Payment.objects.get(reference=reference)
        charge = Charge(row=row, versions_before=len(self.store.offers))
        sale.charges.append(charge)
        return charge

    @precondition(lambda self: self.store.sales)
    @rule(number=PLACES, wrong=st.sampled_from(WRONG))
    def pay_something_else(self, number: int, wrong: dict[str, Any]) -> None:
        """Nothing is entered: of a paid purchase, a payment that is known comes again."""
        sale = pick(self.store.sales, number)
        if sale.paid:
            wrong = {"reference": sale.charges[0].row.reference}
        attempt(
            lambda: complete_purchase(purchase=sale.row, payment=payment_for(sale.row, **wrong)),
            may=sale.paid,
            refused=PaymentMismatch,
        )

    @precondition(lambda self: self.store.sales)
    @rule(number=PLACES, wrong=st.one_of(st.just({}), st.sampled_from(WRONG)))
    def renew(self, number: int, wrong: dict[str, Any]) -> None:
        """A month more, from now on or from where the last one ends."""
        sale = pick(self.store.sales, number)
        payment = payment_for(sale.row, **{"amount_minor": MONTH} | wrong)
        period = attempt(
            lambda: renew_maintenance(purchase=sale.row, payment=payment),
            may=sale.paid and not wrong,
            refused=(NotBought, PaymentMismatch),
        )
        if period is not None:
            charge = self._came(sale, payment.reference)
            sale.renewed = sale.renewed or charge

    @precondition(lambda self: self.store.paid_sales())
    @rule(number=PLACES, place=PLACES, how=st.sampled_from(["all", "part", "more than there is"]))
    def refund(self, number: int, place: int, how: str) -> None:
        charge = pick(pick(self.store.paid_sales(), number).charges, place)
        amount = {"all": None, "part": PART, "more than there is": charge.kept + 1}[how]
        taken, reference = charge.kept if amount is None else amount, uuid4().hex
        row = attempt(
            lambda: record_refund(
                charge=charge.row,
                provider="stripe",
                reference=reference,
                amount_minor=amount,
                recorded_by="test",
            ),
            may=0 < taken <= charge.kept,
            refused=RefundRefused,
        )
        if row is not None:
            charge.refunds[reference] = taken

    @precondition(lambda self: any(c.refunds for s in self.store.sales for c in s.charges))
    @rule(number=PLACES)
    def have_a_refund_come_back(self, number: int) -> None:
        refunded = [c for sale in self.store.sales for c in sale.charges if c.refunds]
        charge = pick(refunded, number)
        reference, amount = charge.refunds.popitem()
        track_refund(
            charge=charge.row,
            provider="stripe",
            reference=reference,
            amount_minor=amount,
            state=Refund.State.FAILED,
            recorded_by="test",
        )

    @precondition(lambda self: self.store.paid_sales())
    @rule(number=PLACES, place=PLACES, how=PLACES)
    def dispute(self, number: int, place: int, how: int) -> None:
        """It opens, takes the money, and is won or lost."""
        charge = pick(pick(self.store.paid_sales(), number).charges, place)
        if charge.dispute not in NEXT:
            return
        charge.dispute = pick(list(NEXT[charge.dispute]), how)
        track_dispute(
            charge=charge.row,
            provider="stripe",
            reference=f"dp_{charge.row.pk}",
            amount_minor=charge.row.amount_minor,
            state=charge.dispute,
            opened_at=timezone.now(),
            as_of=timezone.now(),
            recorded_by="test",
        )
