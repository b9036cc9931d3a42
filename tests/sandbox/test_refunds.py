"""Refunds, whole and in part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import Receiver, until

if TYPE_CHECKING:
    from stripe.checkout import Session


@pytest.fixture
def intent(paid: Session) -> str:
    invoice: Any = paid.invoice
    return str(invoice.payments.data[0].payment.payment_intent)


def charge_of(client: stripe.StripeClient, intent: str) -> stripe.Charge:
    (charge,) = client.v1.charges.list({"payment_intent": intent}).data
    return charge


def test_a_full_refund_marks_the_charge_refunded(client: stripe.StripeClient, intent: str) -> None:
    refund = client.v1.refunds.create({"payment_intent": intent, "metadata": {"why": "asked"}})
    assert (refund.status, refund.amount, refund.currency) == ("succeeded", 250_000, "usd")
    charge = charge_of(client, intent)
    assert (charge.refunded, charge.amount_refunded) == (True, 250_000)


def test_partial_refunds_add_up_to_the_whole(client: stripe.StripeClient, intent: str) -> None:
    client.v1.refunds.create({"payment_intent": intent, "amount": 100_000})
    assert charge_of(client, intent).refunded is False
    client.v1.refunds.create({"charge": charge_of(client, intent).id, "amount": 150_000})
    assert charge_of(client, intent).refunded is True
    assert len(client.v1.refunds.list({"payment_intent": intent}).data) == 2


def test_more_than_what_is_left_is_refused(client: stripe.StripeClient, intent: str) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="greater than unrefunded amount"):
        client.v1.refunds.create({"payment_intent": intent, "amount": 250_001})
    client.v1.refunds.create({"payment_intent": intent})
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        client.v1.refunds.create({"payment_intent": intent})
    assert refusal.value.code == "charge_already_refunded"


def test_the_shop_is_told_of_a_refund(
    client: stripe.StripeClient, intent: str, receiver: Receiver
) -> None:
    client.v1.refunds.create({"payment_intent": intent})
    wanted = {"refund.created", "refund.updated", "charge.refunded"}
    until(lambda: wanted <= set(receiver.types()))


def test_the_refunds_of_a_charge_come_on_request(client: stripe.StripeClient, intent: str) -> None:
    refund = client.v1.refunds.create({"payment_intent": intent, "amount": 5})
    charge = client.v1.charges.retrieve(charge_of(client, intent).id, {"expand": ["refunds"]})
    assert charge.refunds is not None
    assert [entry.id for entry in charge.refunds.data] == [refund.id]
