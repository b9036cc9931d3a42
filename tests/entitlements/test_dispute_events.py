"""Disputes as Stripe tells them, over HTTP: opened, won, lost, asked about, out of order."""

from __future__ import annotations

from typing import Any

import pytest

from entitlements.doors import closed_because
from entitlements.models import Dispute, Payment, Purchase
from tests.courier import Courier
from tests.provider import Provider
from tests.sandbox.conftest import control


def dispute(provider: Provider, **asked: Any) -> str:
    """Let the bank open a dispute about the newest charge; returns its id."""
    charge = provider.client.v1.charges.list().data[0]
    made = control(provider.server, "POST", "/disputes", {"charge": charge.id} | asked)
    return str(made["id"])


def decide(provider: Provider, reference: str, status: str) -> None:
    control(provider.server, "POST", f"/disputes/{reference}", {"status": status})


def why_closed(purchase: Purchase) -> str:
    entitlement = purchase.entitlement
    return closed_because(entitlement=entitlement, version=entitlement.version)


def moves() -> list[tuple[str, int]]:
    rows = Payment.objects.exclude(kind="charge").order_by("received_at")
    return [(row.kind, row.amount_minor) for row in rows]


def test_opened_it_suspends_and_the_money_is_gone(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    reference = dispute(provider)
    said = courier.deliver()
    assert said["charge.dispute.created"] == said["charge.dispute.funds_withdrawn"] == ["applied"]
    assert why_closed(paid) == "Access is closed: payment disputed."
    assert moves() == [("dispute", -250_000)]
    row = Dispute.objects.get()
    assert (row.reference, row.state, row.reason) == (reference, "open", "fraudulent")


@pytest.mark.parametrize(("status", "state"), [("won", "won"), ("lost", "lost")])
def test_decided_in_the_same_second_it_is_decided(
    provider: Provider, courier: Courier, paid: Purchase, status: str, state: str
) -> None:
    decide(provider, dispute(provider), status)
    courier.deliver()
    assert Dispute.objects.get().state == state
    assert (why_closed(paid) == "") == (status == "won")
    back = [("dispute_won", 250_000)] if status == "won" else []
    assert moves() == [("dispute", -250_000), *back]


def test_events_in_any_order_end_alike(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    decide(provider, dispute(provider), "won")
    for kind in (
        "charge.dispute.funds_reinstated",
        "charge.dispute.closed",
        "charge.dispute.created",
        "charge.dispute.funds_withdrawn",
    ):
        assert courier.deliver(kind) == {kind: ["applied"]}
    assert (Dispute.objects.get().state, why_closed(paid)) == ("won", "")
    assert sum(amount for _, amount in moves()) == 0


def test_an_inquiry_that_took_no_money_closes_nothing(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    reference = dispute(provider, status="warning_needs_response")
    courier.deliver()
    assert (Dispute.objects.get().state, why_closed(paid), moves()) == ("warning", "", [])
    decide(provider, reference, "needs_response")
    courier.deliver()
    assert (Dispute.objects.get().state, moves()) == ("open", [("dispute", -250_000)])
    assert "payment disputed" in why_closed(paid)


def test_of_a_part_it_takes_that_part(provider: Provider, courier: Courier, paid: Purchase) -> None:
    dispute(provider, amount=20_000)
    courier.deliver()
    assert moves() == [("dispute", -20_000)]
    assert "payment disputed" in why_closed(paid)
