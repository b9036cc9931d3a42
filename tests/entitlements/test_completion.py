from __future__ import annotations

import pytest

from entitlements.completion import complete_purchase
from entitlements.entering import PaymentMismatch
from entitlements.models import (
    BuyerReceipt,
    Entitlement,
    MaintenancePeriod,
    Outbox,
    Payment,
    Purchase,
)
from receipts.models import Receipt, SigningKey
from tests.shop import payment_for, retire
from tests.threads import at_once


def test_everything_is_written_together(bought: Purchase) -> None:
    entitlement = Entitlement.objects.get(purchase=bought)
    assert entitlement.signature_id == bought.signature_id
    assert Payment.objects.get().amount_minor == 230_000 + 20_000
    assert MaintenancePeriod.objects.get().entitlement == entitlement
    assert BuyerReceipt.objects.get().receipt.kind == Receipt.Kind.BUYER
    assert Outbox.objects.get().kind == "purchase_completed"
    assert bought.state == Purchase.State.PAID


def test_the_same_payment_again_changes_nothing(pending: Purchase) -> None:
    payment = payment_for(pending)
    first = complete_purchase(purchase=pending, payment=payment)
    assert complete_purchase(purchase=pending, payment=payment) == first
    assert Payment.objects.count() == Outbox.objects.count() == 1


def test_a_second_payment_is_entered_and_handed_back(bought: Purchase) -> None:
    complete_purchase(purchase=bought, payment=payment_for(bought))
    assert Entitlement.objects.count() == 1
    assert Payment.objects.count() == 2
    assert Outbox.objects.filter(kind="refund").count() == 1


@pytest.mark.parametrize("wrong", [{"amount_minor": 249_999}, {"currency": "EUR"}])
def test_another_amount_opens_nothing(pending: Purchase, wrong: dict[str, object]) -> None:
    with pytest.raises(PaymentMismatch, match="250000 USD"):
        complete_purchase(purchase=pending, payment=payment_for(pending, **wrong))
    assert not Payment.objects.exists()


def test_without_a_buyer_key_nothing_is_written(pending: Purchase) -> None:
    retire("buyer")
    with pytest.raises(SigningKey.DoesNotExist):
        complete_purchase(purchase=pending, payment=payment_for(pending))
    assert not Payment.objects.exists()
    assert not Entitlement.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_one_payment_from_eight_sides_at_once_grants_once(pending: Purchase) -> None:
    payment = payment_for(pending)
    raised = at_once(*[lambda: complete_purchase(purchase=pending, payment=payment)] * 8)
    assert raised == []
    assert Entitlement.objects.count() == Payment.objects.count() == 1
    assert BuyerReceipt.objects.count() == 1


def test_a_second_payment_in_another_currency_is_left_to_finance(bought: Purchase) -> None:
    other = payment_for(bought, currency="EUR")
    with pytest.raises(PaymentMismatch, match="in another currency") as refused:
        complete_purchase(purchase=bought, payment=other)
    assert refused.value.payment == other
    assert Payment.objects.count() == 1
