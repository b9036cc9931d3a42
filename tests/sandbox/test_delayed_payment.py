"""Bank debits: the session is complete at once, and its payment is heard of days later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import (
    DAY,
    advance,
    ask,
    control,
    kinds_since,
    kit,
    pay,
    refused,
)

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server


def debit(session: Session, account: str = "works") -> None:
    assert pay(session.url, method="us_bank_account", account=account)[0] == 303


def now(client: stripe.StripeClient, session: Session) -> Any:
    expand = ["invoice.payments", "subscription"]
    return client.v1.checkout.sessions.retrieve(session.id, {"expand": expand})


def intent_of(client: stripe.StripeClient) -> stripe.PaymentIntent:
    return client.v1.payment_intents.list({"limit": 1}).data[0]


def test_the_session_is_complete_and_not_yet_paid(
    client: stripe.StripeClient, session: Session
) -> None:
    debit(session)
    found = now(client, session)
    assert (found.status, found.payment_status) == ("complete", "unpaid")
    assert (found.invoice.status, found.invoice.amount_paid) == ("open", 0)
    assert found.subscription.status == "incomplete"
    assert intent_of(client).status == "processing"
    (charge,) = client.v1.charges.list().data
    assert (charge.status, charge.paid) == ("pending", False)
    assert charge.payment_method_details is not None
    assert charge.payment_method_details.type == "us_bank_account"
    (event,) = client.v1.events.list({"type": "checkout.session.completed"}).data
    assert event.data.object["payment_status"] == "unpaid"


def test_a_debit_that_pays_is_told_days_later(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    debit(session)
    start = control(server, "GET", "/clock")["now"]
    assert "payment.resolve" in advance(server, 4 * DAY + 60)
    found = now(client, session)
    assert (found.payment_status, found.invoice.status) == ("paid", "paid")
    assert (found.subscription.status, found.invoice.attempt_count) == ("active", 1)
    assert kinds_since(client, start + DAY) == [
        "charge.succeeded",
        "payment_intent.succeeded",
        "invoice_payment.paid",
        "invoice.updated",
        "invoice.paid",
        "invoice.payment_succeeded",
        "customer.subscription.updated",
        "checkout.session.async_payment_succeeded",
    ]
    assert len(client.v1.charges.list().data) == 1


def test_a_debit_that_fails_ends_the_subscription(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    debit(session, "fails")
    start = control(server, "GET", "/clock")["now"]
    advance(server, 4 * DAY + 60)
    found = now(client, session)
    assert (found.status, found.payment_status) == ("complete", "unpaid")
    assert (found.invoice.status, found.subscription.status) == ("void", "incomplete_expired")
    assert kinds_since(client, start + DAY) == [
        "charge.failed",
        "payment_intent.payment_failed",
        "invoice.updated",
        "invoice.payment_failed",
        "checkout.session.async_payment_failed",
        "invoice.voided",
        "customer.subscription.updated",
    ]
    assert client.v1.charges.list().data[0].failure_code == "account_closed"
    assert advance(server, 60 * DAY) == []


def test_a_control_decides_at_once_and_once(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    debit(session)
    intent = intent_of(client).id
    control(server, "POST", f"/payments/{intent}", {"outcome": "failed"})
    assert now(client, session).invoice.status == "open"  # for 23 hours another way may pay
    assert "not processing" in refused(server, f"/payments/{intent}", {"outcome": "succeeded"})
    assert "payment.resolve" not in advance(server, 5 * DAY)


def test_an_invoice_in_processing_is_not_paid_twice(
    client: stripe.StripeClient, session: Session
) -> None:
    debit(session)
    with pytest.raises(stripe.InvalidRequestError, match="processing"):
        client.v1.invoices.pay(now(client, session).invoice.id)
    assert len(client.v1.charges.list().data) == 1


def test_a_renewal_by_debit_is_paid_days_after_it_was_finalized(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    debit(session)
    advance(server, 32 * DAY)
    renewal = client.v1.invoices.list().data[0]
    assert (renewal.billing_reason, renewal.status) == ("subscription_cycle", "open")
    assert client.v1.subscriptions.list().data[0].status == "active"
    advance(server, 4 * DAY)
    assert client.v1.invoices.retrieve(renewal.id).status == "paid"


def test_a_renewal_by_debit_that_fails_is_dunned(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    debit(session)
    method = now(client, session).subscription.default_payment_method
    advance(server, 20 * DAY)
    control(server, "POST", f"/cards/{method}", {"behaviour": "fails"})
    advance(server, 16 * DAY)
    assert client.v1.subscriptions.list().data[0].status == "past_due"
    assert client.v1.invoices.list().data[0].next_payment_attempt is not None


def test_the_page_offers_only_what_the_shop_takes(client: stripe.StripeClient) -> None:
    session = client.v1.checkout.sessions.create(
        kit(excluded_payment_method_types=["us_bank_account"])
    )
    assert session.payment_method_types == ["card"]
    assert "bank account" not in ask("GET", session.url or "")[2]
    assert pay(session.url, method="us_bank_account")[0] == 402
    assert client.v1.subscriptions.list().data == []
    usual = client.v1.checkout.sessions.create(kit())
    assert "bank account" in ask("GET", usual.url or "")[2]
