"""What was paid twice, handed back or lost bills no more: its subscription ends at Stripe."""

from __future__ import annotations

import pytest

from entitlements.models import Outbox, Purchase, Subscription
from entitlements.outbox import run_due
from entitlements.refunds import request_refund
from tests.courier import Courier
from tests.provider import Provider
from tests.sandbox.conftest import DAY, advance, control


def at_stripe(provider: Provider) -> list[str]:
    """The state of every subscription at Stripe, the oldest first."""
    found = provider.client.v1.subscriptions.list({"status": "all"}).data
    return [each.status for each in reversed(found)]


def test_a_duplicate_goes_back_and_its_subscription_ends_while_the_first_goes_on(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    provider.pay_amount(paid.pk, 250_000)
    courier.deliver("checkout.session.completed")
    assert at_stripe(provider) == ["active", "active"]
    run_due()
    assert at_stripe(provider) == ["active", "canceled"]
    assert [each.amount for each in provider.refunds()] == [250_000]
    advance(provider.server, 40 * DAY)
    charges = provider.client.v1.charges.list({"limit": 100}).data
    assert sorted(each.amount for each in charges) == [20_000, 250_000, 250_000]


def test_done_again_after_a_crash_it_cancels_and_refunds_once(
    provider: Provider, courier: Courier, paid: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.pay_amount(paid.pk, 250_000)
    courier.deliver("checkout.session.completed")
    with monkeypatch.context() as broken:
        broken.setattr("entitlements.outbox_handlers.refund_charge", None)
        run_due()
    assert (at_stripe(provider), provider.refunds()) == (["active", "canceled"], [])
    row = Outbox.objects.get(kind="refund")
    Outbox.objects.filter(pk=row.pk).update(due_at=row.created_at)
    run_due()
    assert (at_stripe(provider), len(provider.refunds())) == (["active", "canceled"], 1)


def test_a_full_refund_ends_what_would_go_on_billing(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    request_refund(charge=paid.entitlement.payment, why="a test", requested_by="desk")
    run_due()
    assert at_stripe(provider) == ["canceled"]
    assert Subscription.objects.get().status == "canceled"
    advance(provider.server, 40 * DAY)
    assert len(provider.client.v1.charges.list().data) == 1


def test_a_partial_refund_ends_nothing(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    request_refund(
        charge=paid.entitlement.payment, why="a test", requested_by="desk", amount_minor=1
    )
    run_due()
    assert at_stripe(provider) == ["active"]


@pytest.mark.parametrize(("status", "left"), [("lost", "canceled"), ("won", "active")])
def test_a_lost_dispute_of_the_first_payment_ends_it_and_one_that_was_won_does_not(
    provider: Provider, courier: Courier, paid: Purchase, status: str, left: str
) -> None:
    charge = provider.client.v1.charges.list().data[0]
    made = control(provider.server, "POST", "/disputes", {"charge": charge.id})
    control(provider.server, "POST", f"/disputes/{made['id']}", {"status": status})
    courier.deliver()
    run_due()
    assert at_stripe(provider) == [left]
