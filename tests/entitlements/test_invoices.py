"""A paid invoice: the first completes, the next renew, and each is entered once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from entitlements.inbox import retry_waiting
from entitlements.models import HeldPayment, MaintenancePeriod, Payment, ProviderEvent, Purchase
from tests.provider import paid_event, send
from tests.stripe_events import event, invoice

pytestmark = pytest.mark.usefixtures("webhook_secret")
MAY = (datetime(2027, 5, 1, tzinfo=UTC), datetime(2027, 6, 1, tzinfo=UTC))


def first(purchase: Purchase, **changed: Any) -> dict[str, Any]:
    now = timezone.now()
    return invoice(
        purchase,
        period=(now, now + timedelta(days=28)),
        billing_reason="subscription_create",
        amount_paid=purchase.total_minor,
        **changed,
    )


def test_the_first_invoice_completes_and_the_session_then_finds_it_done(pending: Purchase) -> None:
    assert send(event("invoice.paid", first(pending))).json() == {"outcome": "applied"}
    assert send(paid_event(pending)).json() == {"outcome": "applied"}
    assert (Payment.objects.get().reference, Payment.objects.get().amount_minor) == (
        "in_1",
        250_000,
    )


def test_a_renewal_extends_maintenance_by_the_invoices_own_period(bought: Purchase) -> None:
    renewal = event("invoice.paid", invoice(bought, reference="in_2", period=MAY))
    for _ in range(2):
        assert send(renewal).json() == {"outcome": "applied"}
    again = event("invoice.paid", invoice(bought, reference="in_2", period=MAY))
    assert send(again).json() == {"outcome": "applied"}
    period = MaintenancePeriod.objects.get(payment__reference="in_2")
    assert (period.starts_at, period.ends_at) == MAY
    assert period.payment.amount_minor == 20_000


def test_a_renewal_before_its_purchase_is_paid_waits_for_it(pending: Purchase) -> None:
    renewal = event("invoice.paid", invoice(pending, reference="in_2", period=MAY))
    assert send(renewal).json() == {"outcome": "waiting"}
    assert retry_waiting() == 0
    send(paid_event(pending))
    assert retry_waiting() == 1
    assert MaintenancePeriod.objects.count() == 2


def test_what_begins_anew_renews_and_is_no_second_purchase(bought: Purchase) -> None:
    again = invoice(bought, reference="in_9", period=MAY, billing_reason="subscription_create")
    again["parent"]["subscription_details"]["metadata"]["purpose"] = "maintenance"
    assert send(event("invoice.paid", again)).json() == {"outcome": "applied"}
    assert MaintenancePeriod.objects.get(payment__reference="in_9").ends_at == MAY[1]


def test_tax_is_beside_the_price_and_kept_in_the_ledger(pending: Purchase) -> None:
    taxed = first(pending, total_taxes=[{"amount": 30_000}, {"amount": 20_000}])
    taxed["amount_paid"] = 300_000
    assert send(event("invoice.paid", taxed)).json() == {"outcome": "applied"}
    row = Payment.objects.get()
    assert (row.amount_minor, row.tax_minor) == (300_000, 50_000)


def test_the_tax_of_a_session_is_no_part_of_the_price_either(pending: Purchase) -> None:
    taxed = paid_event(pending, amount_total=300_000, total_details={"amount_tax": 50_000})
    assert send(taxed).json() == {"outcome": "applied"}
    assert Payment.objects.get().tax_minor == 50_000


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"amount_paid": 19_999}, "asks for 20000 USD (minor units), the payment brings 19999"),
        ({"currency": "eur"}, "the payment brings 20000 EUR"),
        ({"total_taxes": [{"amount": 1}]}, "the payment brings 19999 USD"),
        ({"amount_paid": "20000"}, "amount_paid: '20000' is no whole number"),
        ({"id": None}, "the invoice has no id"),
    ],
)
def test_a_renewal_of_another_amount_is_held(
    bought: Purchase, changed: dict[str, object], said: str
) -> None:
    odd = invoice(bought, reference="in_2", period=MAY, **changed)
    assert send(event("invoice.paid", odd)).json() == {"outcome": "held"}
    assert said in ProviderEvent.objects.get().note
    assert MaintenancePeriod.objects.count() == 1
    money = [(each.purchase, each.reference) for each in HeldPayment.objects.all()]
    assert money == ([(bought, "in_2")] if "brings" in said else [])


@pytest.mark.parametrize("metadata", [{}, {"purchase": "order 7"}, None])
def test_an_invoice_of_something_else_is_ignored(bought: Purchase, metadata: object) -> None:
    other = invoice(bought, period=MAY)
    other["parent"]["subscription_details"]["metadata"] = metadata
    assert send(event("invoice.paid", other)).json() == {"outcome": "ignored"}


def test_an_invoice_that_asked_for_nothing_is_ignored(bought: Purchase) -> None:
    nothing = invoice(bought, period=MAY, amount_paid=0)
    assert send(event("invoice.paid", nothing)).json() == {"outcome": "ignored"}
    assert ProviderEvent.objects.get().note == "nothing was to be paid"
