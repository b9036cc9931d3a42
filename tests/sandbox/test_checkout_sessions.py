"""Sessions: made, refused, expired."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import Receiver, control, kit, until

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server


def test_a_session_is_open_with_its_total_and_address(session: Session) -> None:
    assert session.id.startswith("cs_test_")
    assert (session.status, session.payment_status) == ("open", "unpaid")
    assert (session.amount_total, session.currency) == (250_000, "usd")
    assert (session.url or "").endswith(f"/c/pay/{session.id}")
    assert session.client_reference_id == "purchase-1"
    assert session.livemode is False


def test_stored_prices_serve_as_well_as_inline_ones(client: stripe.StripeClient) -> None:
    product = client.v1.products.create({"name": "Kit"})
    once = client.v1.prices.create(
        {"product": product.id, "currency": "usd", "unit_amount": 500, "lookup_key": "once"}
    )
    monthly = client.v1.prices.create(
        {
            "product": product.id,
            "currency": "usd",
            "unit_amount": 70,
            "recurring": {"interval": "month"},
        }
    )
    items = [{"price": once.id, "quantity": 2}, {"price": monthly.id, "quantity": 1}]
    assert client.v1.checkout.sessions.create(kit(line_items=items)).amount_total == 1_070


def test_line_items_keep_their_order(client: stripe.StripeClient, session: Session) -> None:
    items = client.v1.checkout.sessions.line_items.list(session.id)
    assert [item.description for item in items.data] == ["Kit", "Maintenance"]
    assert [item.amount_total for item in items.data] == [230_000, 20_000]


_INLINE = {"currency": "usd", "unit_amount": 5, "product_data": {"name": "Kit"}}
_MONTHLY = _INLINE | {"recurring": {"interval": "month"}}


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"mode": None}, "mode"),
        ({"success_url": None}, "success_url"),
        ({"line_items": None}, "line_items"),
        ({"customer": "cus_x"}, "customer"),
        ({"customer": "cus_x", "customer_email": None}, "customer"),
        ({"expires_at": int(time.time()) + 60}, "expires_at"),
        ({"line_items": [{"price": "price_x", "quantity": 1}]}, "line_items[0][price]"),
        ({"line_items": [{"price_data": _MONTHLY}]}, "line_items[0][quantity]"),
        ({"line_items": [{"price_data": _INLINE, "quantity": 1}]}, "line_items"),
        (
            {"line_items": [{"price_data": _MONTHLY | {"unit_amount": -1}, "quantity": 1}]},
            "line_items[0][price_data][unit_amount]",
        ),
    ],
)
def test_a_session_that_stripe_would_refuse_is_refused(
    client: stripe.StripeClient, changes: dict[str, Any], param: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        client.v1.checkout.sessions.create(kit(**changes))
    assert refusal.value.param == param
    assert client.v1.products.list().data == []


def test_an_open_session_can_be_expired_once(
    client: stripe.StripeClient, session: Session, receiver: Receiver
) -> None:
    expired = client.v1.checkout.sessions.expire(session.id)
    assert (expired.status, expired.url) == ("expired", None)
    with pytest.raises(stripe.InvalidRequestError, match="status of expired"):
        client.v1.checkout.sessions.expire(session.id)
    until(lambda: "checkout.session.expired" in receiver.types())


def test_a_session_expires_by_itself_when_its_time_has_passed(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    control(server, "POST", "/clock", {"to": session.expires_at - 60})
    assert client.v1.checkout.sessions.retrieve(session.id).status == "open"
    control(server, "POST", "/clock", {"advance": 61})
    assert client.v1.checkout.sessions.retrieve(session.id).status == "expired"
    (event,) = client.v1.events.list({"type": "checkout.session.expired"}).data
    assert event.created == session.expires_at


def test_the_clock_leaves_a_paid_session_as_it_is(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    control(server, "POST", "/clock", {"advance": 25 * 3600})
    assert client.v1.checkout.sessions.retrieve(paid.id).status == "complete"
