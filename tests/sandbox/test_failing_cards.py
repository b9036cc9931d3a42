"""Cards that fail at a renewal: dunning, paying again, and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import (
    DAY,
    FAILING_LATER,
    PAYING,
    advance,
    control,
    kinds_since,
    pay,
    refused,
)

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server


class Due:
    """A subscription whose card failed at the first renewal."""

    def __init__(self, client: stripe.StripeClient, server: Server) -> None:
        self.client, self.server = client, server
        self.end = self.subscription["items"].data[0].current_period_end
        control(server, "POST", "/clock", {"to": self.end + 3600})

    @property
    def subscription(self) -> Any:
        return self.client.v1.subscriptions.list({"status": "all"}).data[0]

    @property
    def invoice(self) -> Any:
        return self.client.v1.invoices.list().data[0]


@pytest.fixture
def due(client: stripe.StripeClient, server: Server, session: Session) -> Due:
    assert pay(session.url, FAILING_LATER)[0] == 303
    return Due(client, server)


def test_the_card_pays_once_and_fails_at_the_renewal(due: Due) -> None:
    renewal, first = due.client.v1.invoices.list().data
    assert (first.status, renewal.status) == ("paid", "open")
    assert (renewal.attempt_count, renewal.attempted, renewal.amount_remaining) == (1, True, 20_000)
    assert renewal.next_payment_attempt == due.end + 3600 + 3 * DAY
    assert due.subscription.status == "past_due"


def test_a_failure_is_told_in_stripes_order(due: Due) -> None:
    assert kinds_since(due.client, due.end + 3600) == [
        "invoice.finalized",
        "payment_intent.created",
        "charge.failed",
        "payment_intent.payment_failed",
        "invoice.updated",
        "invoice.payment_failed",
        "customer.subscription.updated",
    ]


def test_a_failed_charge_says_why(due: Due) -> None:
    charge = due.client.v1.charges.list().data[0]
    assert (charge.status, charge.paid, charge.amount_captured) == ("failed", False, 0)
    assert charge.failure_code == "card_declined"
    intent: Any = due.client.v1.payment_intents.list().data[0]
    assert (intent.status, intent.latest_charge) == ("requires_payment_method", charge.id)
    assert intent.last_payment_error.decline_code == "generic_decline"
    payment = due.client.v1.invoice_payments.list({"invoice": due.invoice.id}).data[0]
    assert (payment.status, payment.amount_paid) == ("open", None)


def test_retries_come_after_three_five_and_seven_days_and_then_it_ends(due: Due) -> None:
    moments = []
    while due.invoice.next_payment_attempt:
        moments.append(due.invoice.next_payment_attempt)
        control(due.server, "POST", "/clock", {"to": moments[-1]})
    start = due.end + 3600
    assert [(m - start) // DAY for m in moments] == [3, 8, 15]
    assert (due.subscription.status, due.subscription.ended_at) == ("canceled", moments[-1])
    assert due.subscription.cancellation_details.reason == "payment_failed"
    assert (due.invoice.status, due.invoice.attempt_count) == ("open", 4)
    assert advance(due.server, 90 * DAY) == []


def test_a_card_that_works_again_is_charged_at_the_next_retry(due: Due) -> None:
    method = due.subscription.default_payment_method
    control(due.server, "POST", f"/cards/{method}", {"behaviour": "works"})
    assert advance(due.server, 3 * DAY) == ["invoice.retry"]
    assert (due.invoice.status, due.invoice.attempt_count) == ("paid", 2)
    assert due.invoice.next_payment_attempt is None
    assert due.subscription.status == "active"
    # One intent, two charges: a retry is another attempt of the same payment.
    (intent,) = due.client.v1.payment_intents.list({"limit": 1}).data
    assert len(due.client.v1.charges.list({"payment_intent": intent.id}).data) == 2


def test_paying_by_hand_with_a_card_that_fails_is_a_card_error(due: Due) -> None:
    before = due.invoice
    with pytest.raises(stripe.CardError) as refusal:
        due.client.v1.invoices.pay(before.id, options={"idempotency_key": "again"})
    assert (refusal.value.http_status, refusal.value.code) == (402, "card_declined")
    # The attempt stays, yet neither counts nor moves the next one.
    assert len(due.client.v1.charges.list().data) == 3
    after = due.invoice
    assert (after.attempt_count, after.next_payment_attempt) == (1, before.next_payment_attempt)
    with pytest.raises(stripe.CardError):
        due.client.v1.invoices.pay(before.id, options={"idempotency_key": "again"})
    assert len(due.client.v1.charges.list().data) == 3


def test_a_new_default_card_pays_the_open_invoice(due: Due) -> None:
    method = due.client.v1.payment_methods.attach(
        "pm_card_visa", {"customer": due.subscription.customer}
    )
    due.client.v1.subscriptions.update(due.subscription.id, {"default_payment_method": method.id})
    assert due.client.v1.invoices.pay(due.invoice.id).status == "paid"
    assert due.subscription.status == "active"
    assert advance(due.server, 10 * DAY) == []
    with pytest.raises(stripe.InvalidRequestError, match="already paid"):
        due.client.v1.invoices.pay(due.invoice.id)


def test_the_customers_default_card_stands_in_for_the_subscriptions(due: Due) -> None:
    client, customer = due.client, due.subscription.customer
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer})
    settings: Any = {"invoice_settings": {"default_payment_method": method.id}}
    client.v1.customers.update(customer, settings)
    with pytest.raises(stripe.CardError):
        client.v1.invoices.pay(due.invoice.id)  # the subscription's own goes first
    client.v1.payment_methods.detach(due.subscription.default_payment_method)
    assert due.subscription.default_payment_method is None
    assert client.v1.invoices.pay(due.invoice.id).status == "paid"
    assert client.v1.charges.list().data[0].payment_method == method.id


def test_without_any_card_the_attempt_fails_without_a_charge(due: Due) -> None:
    client = due.client
    client.v1.payment_methods.detach(due.subscription.default_payment_method)
    charges = len(client.v1.charges.list().data)
    advance(due.server, 3 * DAY)
    assert (due.invoice.attempt_count, len(client.v1.charges.list().data)) == (2, charges)


def test_a_card_of_another_customer_is_refused(due: Due) -> None:
    other = due.client.v1.customers.create({"name": "Other"})
    method = due.client.v1.payment_methods.attach("pm_card_visa", {"customer": other.id})
    for act in (
        lambda: due.client.v1.invoices.pay(due.invoice.id, {"payment_method": method.id}),
        lambda: due.client.v1.subscriptions.update(
            due.subscription.id, {"default_payment_method": method.id}
        ),
    ):
        with pytest.raises(stripe.InvalidRequestError) as refusal:
            act()
        assert refusal.value.param == "payment_method" or "default" in str(refusal.value.param)
    assert due.invoice.status == "open"


def test_a_card_can_be_made_to_fail(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    pay(session.url, PAYING)
    method = client.v1.subscriptions.list().data[0].default_payment_method
    control(server, "POST", f"/cards/{method}", {"behaviour": "fails"})
    advance(server, 32 * DAY)
    assert client.v1.subscriptions.list().data[0].status == "past_due"
    assert "Invalid behaviour" in refused(server, f"/cards/{method}", {"behaviour": "sulks"})


def test_a_void_invoice_is_not_collected_any_more(due: Due) -> None:
    voided = due.client.v1.invoices.void_invoice(due.invoice.id)
    assert (voided.status, voided.next_payment_attempt) == ("void", None)
    assert advance(due.server, 20 * DAY) == []
    for act in (due.client.v1.invoices.pay, due.client.v1.invoices.void_invoice):
        with pytest.raises(stripe.InvalidRequestError, match="void"):
            act(voided.id)


def test_the_invoice_of_an_ended_subscription_can_still_be_paid(due: Due) -> None:
    advance(due.server, 16 * DAY)
    method = due.subscription.default_payment_method
    control(due.server, "POST", f"/cards/{method}", {"behaviour": "works"})
    assert due.client.v1.invoices.pay(due.invoice.id).status == "paid"
    assert due.subscription.status == "canceled"
