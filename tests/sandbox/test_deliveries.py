"""Webhooks: signed, retried, and disturbed on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import (
    Receiver,
    ask,
    control,
    kit,
    pay,
    running,
    sdk,
    states,
    until,
)

if TYPE_CHECKING:
    from pathlib import Path

    from stripe.checkout import Session

    from sandbox.server import Server

BUY = ["customer.subscription.created", "invoice.paid", "checkout.session.completed"]


def behave(server: Server, mode: str, **more: Any) -> None:
    control(server, "POST", "/behaviour", {"mode": mode, **more})


def told(receiver: Receiver) -> list[str]:
    return [event for event in receiver.types() if event in BUY]


def test_a_payment_is_told_with_signed_events(paid: Session, receiver: Receiver) -> None:
    until(lambda: told(receiver) == BUY)
    last: Any = receiver.events[-1]
    assert last.data.object.id == paid.id
    assert last.data.object.client_reference_id == "purchase-1"
    assert last.api_version == stripe.api_version


def test_an_event_can_be_read_back(client: stripe.StripeClient, paid: Session) -> None:
    (event,) = client.v1.events.list({"type": "checkout.session.completed"}).data
    again: Any = client.v1.events.retrieve(event.id)
    assert again.data.object.id == paid.id


def test_a_refused_delivery_is_tried_again(
    server: Server, receiver: Receiver, client: stripe.StripeClient
) -> None:
    receiver.refusals = 1
    client.v1.products.create({"name": "Kit"})
    until(lambda: receiver.types() == ["product.created"])
    until(lambda: states(server) == ["delivered"])
    (entry,) = control(server, "GET", "/deliveries")["deliveries"]
    assert entry["attempts"] == 2


def test_held_events_wait_for_their_release(
    server: Server, session: Session, receiver: Receiver
) -> None:
    behave(server, "hold")
    pay(session.url)
    assert "held" in states(server)
    assert told(receiver) == []
    behave(server, "deliver")
    until(lambda: told(receiver) == BUY)


def test_held_events_can_be_released_in_reverse(
    server: Server, session: Session, receiver: Receiver
) -> None:
    behave(server, "hold")
    pay(session.url)
    behave(server, "reverse")
    until(lambda: told(receiver) == BUY[::-1])


def test_lost_events_are_never_sent_but_can_be_replayed(
    server: Server, client: stripe.StripeClient, session: Session, receiver: Receiver
) -> None:
    behave(server, "lose")
    pay(session.url)
    (event,) = client.v1.events.list({"type": "invoice.paid"}).data
    control(server, "POST", f"/events/{event.id}/replay")
    until(lambda: told(receiver) == ["invoice.paid"])
    assert "lost" in states(server)


def test_doubled_events_come_twice_with_one_id(
    server: Server, client: stripe.StripeClient, receiver: Receiver
) -> None:
    behave(server, "duplicate")
    client.v1.products.create({"name": "Kit"})
    until(lambda: len(receiver.events) == 2)
    assert receiver.events[0].id == receiver.events[1].id


def test_a_delay_keeps_events_back(
    server: Server, client: stripe.StripeClient, receiver: Receiver
) -> None:
    behave(server, "delay", seconds=0.5)
    client.v1.products.create({"name": "Kit"})
    assert states(server) == ["pending"]
    until(lambda: receiver.types() == ["product.created"])


def test_pending_deliveries_survive_a_restart(tmp_path: Path, receiver: Receiver) -> None:
    data = tmp_path / "again.sqlite3"
    with running(data, "http://127.0.0.1:1/") as before:
        sdk(before).v1.products.create({"name": "Kit"})
        until(lambda: control(before, "GET", "/deliveries")["deliveries"][0]["attempts"] > 0)
    with running(data, receiver.url):
        until(lambda: receiver.types() == ["product.created"])


@pytest.mark.parametrize(
    "body", [{"mode": "shout"}, {"mode": "delay", "seconds": -1}, {"mode": "delay", "seconds": "x"}]
)
def test_a_wrong_behaviour_is_refused(server: Server, body: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="Invalid"):
        control(server, "POST", "/behaviour", body)


def test_the_controls_need_the_key(server: Server) -> None:
    assert ask("GET", f"{server.settings.base_url}/sandbox/deliveries")[0] == 401


def test_a_receiver_that_is_away_does_not_hold_up_the_page(tmp_path: Path) -> None:
    with running(tmp_path / "away.sqlite3", "http://127.0.0.1:1/") as server:
        session = sdk(server).v1.checkout.sessions.create(kit())
        assert pay(session.url)[0] == 303
