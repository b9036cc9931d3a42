"""What a paid session leaves behind, as the SDK reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server

from tests.sandbox.conftest import control, kit, pay


def test_the_session_points_at_everything(paid: Session) -> None:
    assert (paid.status, paid.payment_status, paid.url) == ("complete", "paid", None)
    assert isinstance(paid.invoice, stripe.Invoice)
    assert isinstance(paid.subscription, stripe.Subscription)
    assert paid.metadata is not None
    assert paid.metadata.to_dict() == {"purchase": "1"}
    assert paid.payment_intent is None


def test_the_first_invoice_takes_both_lines(paid: Session) -> None:
    invoice: Any = paid.invoice
    assert (invoice.status, invoice.amount_paid, invoice.amount_remaining) == ("paid", 250_000, 0)
    assert [line.amount for line in invoice.lines.data] == [230_000, 20_000]
    kinds = [line.parent.type for line in invoice.lines.data]
    assert kinds == ["invoice_item_details", "subscription_item_details"]
    details = invoice.parent.subscription_details
    assert details.subscription == paid.subscription.id  # type: ignore[union-attr]  # expanded
    assert details.metadata.to_dict() == {"purchase": "1"}


def test_the_payment_is_found_from_the_invoice_and_back(
    client: stripe.StripeClient, paid: Session
) -> None:
    invoice: Any = paid.invoice
    (payment,) = invoice.payments.data
    intent = client.v1.payment_intents.retrieve(
        payment.payment.payment_intent, {"expand": ["latest_charge"]}
    )
    assert isinstance(intent.latest_charge, stripe.Charge)
    assert (intent.status, intent.amount_received) == ("succeeded", 250_000)
    assert intent.latest_charge.amount_captured == 250_000
    found = client.v1.invoice_payments.list(
        {"payment": {"type": "payment_intent", "payment_intent": intent.id}}
    )
    assert [entry.invoice for entry in found.data] == [invoice.id]


def test_the_subscription_is_active_for_a_month(paid: Session) -> None:
    subscription: Any = paid.subscription
    (item,) = subscription["items"].data
    assert subscription.status == "active"
    assert subscription.metadata.to_dict() == {"purchase": "1"}
    assert 28 <= (item.current_period_end - item.current_period_start) / 86_400 <= 31
    assert item.price.unit_amount == 20_000


def test_a_known_customer_is_charged_as_that_customer(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({"name": "Ada Ltd", "email": "ap@ada.example"})
    session = client.v1.checkout.sessions.create(kit(customer=customer.id, customer_email=None))
    pay(session.url)
    assert len(client.v1.customers.list().data) == 1
    (invoice,) = client.v1.invoices.list({"customer": customer.id}).data
    assert (invoice.customer_name, invoice.customer_email) == ("Ada Ltd", "ap@ada.example")


_ON_REQUEST = {"line_items", "payments", "refunds", "deleted", "OBJECT_NAME"}
_CUSTOMER_ONLY = {"cash_balance", "sources", "subscriptions", "tax", "tax_ids"}
KINDS: list[tuple[str, type[stripe.StripeObject]]] = [
    ("balance_transactions", stripe.BalanceTransaction),
    ("charges", stripe.Charge),
    ("customers", stripe.Customer),
    ("disputes", stripe.Dispute),
    ("events", stripe.Event),
    ("invoice_payments", stripe.InvoicePayment),
    ("invoices", stripe.Invoice),
    ("payment_intents", stripe.PaymentIntent),
    ("payment_methods", stripe.PaymentMethod),
    ("prices", stripe.Price),
    ("products", stripe.Product),
    ("refunds", stripe.Refund),
    ("subscriptions", stripe.Subscription),
]


@pytest.mark.parametrize(("name", "resource"), KINDS, ids=[name for name, _ in KINDS])
def test_every_declared_field_is_there(
    client: stripe.StripeClient,
    server: Server,
    paid: Session,
    name: str,
    resource: type[stripe.StripeObject],
) -> None:
    intent = client.v1.payment_intents.list().data[0].id
    client.v1.refunds.create({"payment_intent": intent, "amount": 1})
    control(server, "POST", "/disputes", {"payment_intent": intent})
    obj = getattr(client.v1, name).list({"limit": 1}).data[0]
    absent = set(resource.__annotations__) - set(obj.to_dict()) - _ON_REQUEST
    assert absent <= (_CUSTOMER_ONLY if resource is stripe.Customer else set())
    assert isinstance(obj, resource)


def test_a_subscription_is_cancelled_at_period_end_or_at_once(
    client: stripe.StripeClient, paid: Session
) -> None:
    subscription: Any = paid.subscription
    ending = client.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    assert ending.cancel_at == subscription["items"].data[0].current_period_end
    assert client.v1.subscriptions.cancel(subscription.id).status == "canceled"
    assert client.v1.subscriptions.list().data == []
    assert len(client.v1.subscriptions.list({"status": "all"}).data) == 1
