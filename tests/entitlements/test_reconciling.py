"""The sweep, over HTTP: what was lost on the way is found, told and entered; the rest is told."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from entitlements.doors import closed_because
from entitlements.models import (
    Dispute,
    HeldPayment,
    MaintenancePeriod,
    Payment,
    Purchase,
    Refund,
    Subscription,
)
from entitlements.outbox import run_due
from entitlements.reconciling import sweep
from entitlements.refunds import record_refund
from entitlements.renewing import renew_maintenance
from entitlements.stripe.checkout import PURCHASE, session_params, start_checkout
from tests.courier import Courier
from tests.provider import Provider
from tests.sandbox.conftest import DAY, advance, control
from tests.shop import payment_for


def reconcile(*arguments: str) -> tuple[int, str]:
    """The command's exit status, and what it said."""
    out, status = io.StringIO(), 0
    try:
        call_command("reconcile", *arguments, stdout=out)
    except SystemExit as ended:
        status = int(str(ended.code))
    return status, out.getvalue()


def repaired() -> str:
    """Reconcile with repairs: nothing may remain, and a second run finds nothing."""
    status, said = reconcile("--repair")
    assert (status, "remains:" in said) == (0, False), said
    status, again = reconcile()
    assert (status, "differs:" in again) == (0, False), again
    return said


def is_open(purchase: Purchase) -> bool:
    purchase.refresh_from_db()
    entitlement = purchase.entitlement
    return closed_because(entitlement=entitlement, version=entitlement.version) == ""


def test_where_all_is_entered_it_finds_nothing(provider: Provider, paid: Purchase) -> None:
    status, said = reconcile()
    assert status == 0
    assert said == ("looked at 1 invoices, 1 payments, 1 subscriptions: 0 differences remain\n")


def test_a_payment_without_any_event_is_told_and_then_entered(
    provider: Provider, pending: Purchase
) -> None:
    provider.pay(start_checkout(pending))
    status, said = reconcile()
    assert status == 1
    invoice = provider.sessions()[0].invoice
    assert f"differs: invoice {invoice}: paid, 250000 usd (minor units), and not in the" in said
    assert not Payment.objects.exists()
    assert f"repaired: invoice {invoice}\n" in repaired()
    assert is_open(pending)
    assert Payment.objects.get().recorded_by == "sweep"


def test_a_renewal_without_event_extends_maintenance(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    advance(provider.server, 32 * DAY)
    courier.lose()
    repaired()
    assert MaintenancePeriod.objects.count() == 2
    assert Subscription.objects.get().status == "active"


def test_a_won_dispute_that_was_missed_opens_again_however_old(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    charge = provider.client.v1.charges.list().data[0]
    made = control(provider.server, "POST", "/disputes", {"charge": charge.id})
    courier.deliver()
    assert not is_open(paid)
    control(provider.server, "POST", f"/disputes/{made['id']}", {"status": "won"})
    courier.lose()
    tomorrow = f"{timezone.now() + timedelta(days=1):%Y-%m-%d}"
    status, said = reconcile("--since", tomorrow)
    assert (status, f"dispute {made['id']}: won at Stripe, and open here" in said) == (1, True)
    repaired()
    assert (Dispute.objects.get().state, is_open(paid)) == ("won", True)


def test_a_dispute_without_any_event_closes(provider: Provider, paid: Purchase) -> None:
    charge = provider.client.v1.charges.list().data[0]
    control(provider.server, "POST", "/disputes", {"charge": charge.id})
    repaired()
    assert not is_open(paid)


@pytest.mark.parametrize("amount", [5_000, 250_000])
def test_a_refund_without_any_event_is_entered(
    provider: Provider, courier: Courier, paid: Purchase, amount: int
) -> None:
    charge = provider.client.v1.charges.list().data[0]
    provider.client.v1.refunds.create({"charge": charge.id, "amount": amount})
    repaired()
    assert Refund.objects.get().state == "succeeded"
    assert is_open(paid) == (amount == 5_000)


def test_a_refund_that_failed_unheard_opens_again(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    charge = provider.client.v1.charges.list().data[0]
    made = provider.client.v1.refunds.create({"charge": charge.id})
    courier.deliver()
    run_due()
    control(provider.server, "POST", f"/refunds/{made.id}", {"status": "failed"})
    courier.lose()
    repaired()
    assert (Refund.objects.get().state, is_open(paid)) == ("failed", True)


def test_a_row_that_stripe_does_not_know_is_told_and_never_repaired(
    provider: Provider, paid: Purchase
) -> None:
    renew_maintenance(
        purchase=paid,
        payment=payment_for(paid, reference="in_invented", amount_minor=20_000),
    )
    record_refund(
        charge=paid.entitlement.payment,
        provider="stripe",
        reference="re_invented",
        amount_minor=1,
        recorded_by="test",
    )
    for arguments in ([], ["--repair"]):
        status, said = reconcile(*arguments)
        assert status == 1
        assert "(in_invented): in the ledger, and unknown to Stripe" in said
        assert "refund re_invented: entered here, and unknown to Stripe" in said
    assert "2 differences remain" in said


def test_money_that_is_held_remains_a_difference_until_it_is_settled(
    provider: Provider, pending: Purchase
) -> None:
    provider.pay_amount(pending.pk, 249_999)
    session = provider.sessions()[0]
    Purchase.objects.update(checkout_session=session.id)
    assert reconcile("--repair")[0] == 1
    held = HeldPayment.objects.get()
    assert (held.purchase, held.amount_minor) == (pending, 249_999)
    assert not Payment.objects.exists()


@pytest.mark.parametrize("change", ["cancel", "at_period_end", "none"])
def test_a_subscription_that_changed_unheard_is_entered(
    provider: Provider, courier: Courier, paid: Purchase, change: str
) -> None:
    reference = Subscription.objects.get().reference
    subscriptions = provider.client.v1.subscriptions
    if change == "cancel":
        subscriptions.cancel(reference)
    elif change == "at_period_end":
        subscriptions.update(reference, {"cancel_at_period_end": True})
    else:
        Subscription.objects.all().delete()
    assert f"differs: subscription {reference}: " in repaired()
    row = Subscription.objects.get()
    assert (row.status, row.cancel_at is not None) == (
        "canceled" if change == "cancel" else "active",
        change == "at_period_end",
    )


def test_what_should_bill_no_more_is_ended(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    reference = Subscription.objects.get().reference
    charge = provider.client.v1.charges.list().data[0]
    provider.client.v1.refunds.create({"charge": charge.id})
    courier.deliver()
    # Its work in the outbox is lost.
    said = reconcile()[1]
    assert f"subscription {reference}: it goes on billing: the purchase was refunded" in said
    repaired()
    assert provider.client.v1.subscriptions.retrieve(reference).status == "canceled"


def test_a_second_payment_unheard_goes_back_and_its_subscription_ends(
    provider: Provider, paid: Purchase
) -> None:
    params = session_params(paid, PURCHASE)
    second = provider.client.v1.checkout.sessions.create(params)
    provider.pay(second.url or "")
    said = repaired()
    assert "it goes on billing: it began with a second payment, which goes back" in said
    run_due()
    (refund,) = provider.refunds()
    assert (refund.amount, Payment.objects.filter(kind="refund").count()) == (250_000, 1)
    states = [each.status for each in provider.client.v1.subscriptions.list({"status": "all"}).data]
    assert states == ["canceled", "active"]
    assert is_open(paid)


def test_an_open_page_of_what_is_paid_is_closed(provider: Provider, pending: Purchase) -> None:
    start_checkout(pending)
    (first,) = provider.sessions()
    provider.pay_amount(pending.pk, 250_000)
    Purchase.objects.update(checkout_session=provider.sessions()[0].id)
    assert "the purchase is not" in reconcile()[1]
    said = repaired()
    assert f"session {first.id}: purchase {pending.pk} is paid, and this page" in said
    assert provider.client.v1.checkout.sessions.retrieve(first.id).status == "expired"
    assert is_open(pending)


def test_a_session_that_stripe_does_not_know_locks_no_purchase(
    provider: Provider, pending: Purchase
) -> None:
    Purchase.objects.update(checkout_session="cs_of_another_account")
    assert "its session cs_of_another_account is unknown to Stripe" in reconcile()[1]
    repaired()
    pending.refresh_from_db()
    assert provider.pay(start_checkout(pending)) == 303


def test_what_others_sell_on_the_account_is_left_alone(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    provider.pay_amount("order-7", 1_000)
    charge = provider.client.v1.charges.list().data[0]
    provider.client.v1.refunds.create({"charge": charge.id})
    assert reconcile()[0] == 0


def test_a_worker_sweeps_by_itself(
    provider: Provider, pending: Purchase, caplog: pytest.LogCaptureFixture
) -> None:
    provider.pay(start_checkout(pending))
    assert sweep() == 0
    assert is_open(pending)
    assert "and not in the ledger" in caplog.text


def test_a_silent_provider_stops_no_worker_and_is_said_by_the_command(
    provider: Provider, pending: Purchase, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"
    assert sweep() == 0
    assert "sweep: Unexpected error communicating with Stripe" in caplog.text
    with pytest.raises(CommandError) as refused:
        reconcile()
    assert refused.value.returncode == 2


@pytest.mark.django_db
def test_a_store_without_stripe_has_nothing_to_sweep(settings: Any) -> None:
    settings.STRIPE_SECRET_KEY = ""
    assert sweep() == 0
    with pytest.raises(CommandError, match="STRIPE_SECRET_KEY"):
        reconcile()
