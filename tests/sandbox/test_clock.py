"""Time that moves forward: renewals, ends of subscriptions, and what the clock refuses."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox.conftest import (
    DAY,
    Receiver,
    advance,
    control,
    kinds_since,
    pay,
    refused,
    running,
    sdk,
    until,
)

if TYPE_CHECKING:
    from pathlib import Path

    import stripe
    from stripe.checkout import Session

    from sandbox.server import Server

HOUR = 3600
RENEWAL = [
    "invoice.created",
    "customer.subscription.updated",
    "invoice.finalized",
    "payment_intent.created",
    "charge.succeeded",
    "payment_intent.succeeded",
    "invoice_payment.paid",
    "invoice.updated",
    "invoice.paid",
    "invoice.payment_succeeded",
]


def item_of(paid: Session) -> Any:
    subscription: Any = paid.subscription
    return subscription["items"].data[0]


def invoices_of(client: stripe.StripeClient) -> list[Any]:
    return list(client.v1.invoices.list({"limit": 100}).data)


def test_the_clock_runs_with_the_real_one_until_it_is_moved(server: Server) -> None:
    assert abs(control(server, "GET", "/clock")["now"] - time.time()) < 5
    advance(server, 10 * DAY)
    state = control(server, "GET", "/clock")
    assert abs(state["now"] - state["real"] - 10 * DAY) < 5


def test_a_renewal_is_told_in_stripes_order(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    end = item_of(paid).current_period_end
    control(server, "POST", "/clock", {"to": end + HOUR})
    assert kinds_since(client, end) == RENEWAL


def test_a_renewal_is_a_draft_for_an_hour_and_is_then_paid(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    end = item_of(paid).current_period_end
    control(server, "POST", "/clock", {"to": end})
    draft, first = invoices_of(client)
    assert (draft.status, draft.number, draft.created) == ("draft", None, end)
    assert draft.automatically_finalizes_at == end + HOUR
    assert advance(server, HOUR) == ["invoice.finalize"]
    renewal = invoices_of(client)[0]
    assert (renewal.status, renewal.amount_paid, renewal.attempt_count) == ("paid", 20_000, 1)
    assert renewal.billing_reason == "subscription_cycle"
    assert [first.number[-4:], renewal.number[-4:]] == ["0001", "0002"]


def test_a_renewal_says_which_period_it_pays_for(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    before = item_of(paid)
    control(server, "POST", "/clock", {"to": before.current_period_end + HOUR})
    renewal, subscription = invoices_of(client)[0], client.v1.subscriptions.list().data[0]
    (line,) = renewal.lines.data
    item = subscription["items"].data[0]
    assert (line.period.start, line.period.end) == (
        before.current_period_end,
        item.current_period_end,
    )
    assert (item.current_period_start, subscription.latest_invoice) == (
        line.period.start,
        renewal.id,
    )
    assert (renewal.period_start, renewal.period_end) == (
        before.current_period_start,
        before.current_period_end,
    )
    assert renewal.parent.subscription_details.metadata.to_dict() == {"purchase": "1"}


def test_a_year_brings_twelve_renewals_each_at_its_own_time(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    advance(server, 367 * DAY)
    renewals = [i for i in invoices_of(client) if i.billing_reason == "subscription_cycle"]
    assert len(renewals) == 12
    assert {i.status for i in renewals} == {"paid"}
    starts = [i.created for i in reversed(renewals)]
    assert all(28 <= (b - a) / DAY <= 31 for a, b in pairwise(starts))
    assert len({charge.id for charge in client.v1.charges.list({"limit": 100}).data}) == 13


def test_a_subscription_that_was_cancelled_ends_with_its_period(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    subscription: Any = paid.subscription
    client.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    end = item_of(paid).current_period_end
    control(server, "POST", "/clock", {"to": end + 40 * DAY})
    ended = client.v1.subscriptions.retrieve(subscription.id)
    assert (ended.status, ended.ended_at) == ("canceled", end)
    assert kinds_since(client, end) == ["customer.subscription.deleted"]
    assert len(invoices_of(client)) == 1


def test_a_subscription_cancelled_at_once_is_not_renewed(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    subscription: Any = paid.subscription
    client.v1.subscriptions.cancel(subscription.id)
    assert advance(server, 40 * DAY) == ["session.expire"]
    assert len(invoices_of(client)) == 1


def test_webhooks_are_signed_by_the_real_clock(
    server: Server, session: Session, receiver: Receiver
) -> None:
    pay(session.url)
    advance(server, 32 * DAY)
    until(lambda: "customer.subscription.updated" in receiver.types())
    renewed = [e for e in receiver.events if e.type == "customer.subscription.updated"]
    assert renewed[-1].created > time.time() + 27 * DAY
    assert all(abs(moment - time.time()) < 60 for moment in receiver.signed_at)


def test_the_time_survives_a_restart(tmp_path: Path, receiver: Receiver) -> None:
    data = tmp_path / "again.sqlite3"
    with running(data, receiver.url) as before:
        advance(before, 90 * DAY)
    with running(data, receiver.url) as after:
        assert sdk(after).v1.products.create({"name": "Kit"}).created > time.time() + 89 * DAY


@pytest.mark.parametrize(
    "body",
    [
        {"advance": -1},
        {"to": 5},
        {"advance": "1"},
        {"advance": True},
        {"advance": 1, "to": 5},
        {"advance": 10**12},
        {},
        [],
    ],
)
def test_a_time_that_cannot_be_is_refused(server: Server, body: Any) -> None:
    assert refused(server, "/clock", body)
    assert abs(control(server, "GET", "/clock")["now"] - time.time()) < 5
