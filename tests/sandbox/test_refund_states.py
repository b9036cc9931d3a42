"""Refunds that wait, fail, fail after all, or are canceled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import DAY, advance, control, kinds_since, refused

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server


class Shop:
    """A shop with one paid charge, which it refunds."""

    def __init__(self, client: stripe.StripeClient, server: Server) -> None:
        self.client, self.server = client, server
        self.charge_id = client.v1.charges.list().data[0].id

    @property
    def charge(self) -> stripe.Charge:
        return self.client.v1.charges.retrieve(self.charge_id)

    def refund(self, mode: str, **more: Any) -> stripe.Refund:
        control(self.server, "POST", "/refunds", {"mode": mode})
        params: Any = {"charge": self.charge_id, **more}
        return self.client.v1.refunds.create(params)

    def again(self, refund: stripe.Refund) -> stripe.Refund:
        return self.client.v1.refunds.retrieve(refund.id)

    def kinds(self, since: int) -> list[str]:
        return [kind for kind in kinds_since(self.client, since) if "refund" in kind]


@pytest.fixture
def shop(client: stripe.StripeClient, server: Server, paid: Session) -> Shop:
    return Shop(client, server)


def test_a_pending_refund_succeeds_a_day_later(shop: Shop) -> None:
    refund = shop.refund("pending", amount=100_000)
    assert (refund.status, refund.pending_reason) == ("pending", "processing")
    assert shop.charge.amount_refunded == 100_000
    assert shop.kinds(refund.created) == ["refund.created", "charge.refunded", "refund.updated"]
    assert "refund.succeed" in advance(shop.server, DAY + 60)
    assert (shop.again(refund).status, shop.again(refund).pending_reason) == ("succeeded", None)
    assert shop.kinds(refund.created + 60) == ["refund.updated", "charge.refund.updated"]
    assert shop.charge.amount_refunded == 100_000


@pytest.mark.parametrize(
    ("mode", "first"), [("pending_then_fail", "pending"), ("succeed_then_fail", "succeeded")]
)
def test_a_refund_that_fails_later_gives_its_amount_back(shop: Shop, mode: str, first: str) -> None:
    refund = shop.refund(mode)
    assert (refund.status, shop.charge.refunded) == (first, True)
    advance(shop.server, DAY + 60)
    failed = shop.again(refund)
    assert (failed.status, failed.failure_reason) == ("failed", "expired_or_canceled_card")
    assert (shop.charge.refunded, shop.charge.amount_refunded) == (False, 0)
    assert shop.kinds(refund.created + 60) == [
        "refund.updated",
        "charge.refund.updated",
        "refund.failed",
    ]
    assert shop.refund("succeed").amount == 250_000


def test_a_refund_that_fails_at_once_never_counts(shop: Shop) -> None:
    refund = shop.refund("fail")
    assert refund.status == "failed"
    assert shop.charge.amount_refunded == 0
    assert shop.kinds(refund.created) == ["refund.created", "refund.failed"]
    assert "refund.fail" not in advance(shop.server, 5 * DAY)


def test_a_pending_refund_holds_its_amount(shop: Shop) -> None:
    shop.refund("pending", amount=200_000)
    with pytest.raises(stripe.InvalidRequestError, match="greater than unrefunded"):
        shop.refund("pending", amount=50_001)


def test_a_pending_refund_is_canceled_once(shop: Shop) -> None:
    refund = shop.refund("pending")
    assert shop.client.v1.refunds.cancel(refund.id).status == "canceled"
    assert shop.charge.amount_refunded == 0
    with pytest.raises(stripe.InvalidRequestError, match="cannot be canceled"):
        shop.client.v1.refunds.cancel(refund.id)
    assert "refund.succeed" not in advance(shop.server, 5 * DAY)
    assert shop.charge.amount_refunded == 0


def test_a_control_decides_one_refund(shop: Shop) -> None:
    refund = shop.refund("pending")
    path = f"/refunds/{refund.id}"
    assert control(shop.server, "POST", path, {"status": "succeeded"})["status"] == "succeeded"
    assert "cannot become" in refused(shop.server, path, {"status": "succeeded"})
    assert control(shop.server, "POST", path, {"status": "failed"})["status"] == "failed"
    assert "cannot become" in refused(shop.server, path, {"status": "failed"})
    assert shop.charge.amount_refunded == 0


def test_the_mode_can_be_read_and_a_wrong_one_is_refused(shop: Shop) -> None:
    assert control(shop.server, "GET", "/refunds") == {"mode": "succeed"}
    assert "Invalid mode" in refused(shop.server, "/refunds", {"mode": "maybe"})
    assert "Invalid mode" in refused(shop.server, "/refunds", None)


def test_a_charge_that_did_not_pay_is_not_refunded(shop: Shop) -> None:
    client = shop.client
    method: Any = client.v1.subscriptions.list().data[0].default_payment_method
    control(shop.server, "POST", f"/cards/{method}", {"behaviour": "fails"})
    advance(shop.server, 32 * DAY)
    failed = client.v1.charges.list().data[0]
    assert failed.status == "failed"
    with pytest.raises(stripe.InvalidRequestError, match="cannot be refunded"):
        client.v1.refunds.create({"charge": failed.id})
