"""The operations that are disturbed: how far the shop had come, and what happens then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.test import Client

from entitlements.models import Purchase
from entitlements.outbox import run_due
from entitlements.refunds import request_refund
from entitlements.stripe.checkout import start_checkout
from licensing.models import User
from tests.courier import Courier
from tests.people import signed_in
from tests.provider import Provider, send
from tests.sandbox.conftest import advance, control

MONTH_AND_A_BIT = 32 * 86_400


@dataclass
class Shop:
    """What a case has in hand."""

    provider: Provider
    courier: Courier
    purchase: Purchase
    buyer: User

    def pay(self) -> None:
        """Pay at the hosted page; nobody has told the store yet."""
        assert self.provider.pay(start_checkout(self.purchase)) == 303

    def bought(self) -> None:
        """Paid, told, and the mail sent."""
        self.pay()
        self.courier.deliver()
        run_due()

    def event(self, kind: str) -> Callable[[], Any]:
        """The newest event of a type, on its way: an operation. Those beside it are lost."""
        newest = self.provider.event(kind)
        self.courier.lose()
        self.courier.taken.discard(newest["id"])
        return lambda: send(newest, client=Client(raise_request_exception=False))

    def control(self, path: str, **values: Any) -> Any:
        """Ask the sandbox for something that a bank or a person at Stripe does."""
        return control(self.provider.server, "POST", path, values)

    def newest_charge(self) -> str:
        """The id of the charge that was made last."""
        return self.provider.client.v1.charges.list().data[0].id


Case = Callable[[Shop], Callable[[], Any]]


def completion_by_session_event(shop: Shop) -> Callable[[], Any]:
    shop.pay()
    return shop.event("checkout.session.completed")


def completion_by_invoice_event(shop: Shop) -> Callable[[], Any]:
    shop.pay()
    return shop.event("invoice.paid")


def completion_by_return_page(shop: Shop) -> Callable[[], Any]:
    shop.pay()
    browser = signed_in(shop.buyer)
    browser.raise_request_exception = False
    return lambda: browser.get(f"/account/purchases/{shop.purchase.pk}/return/")


def renewal(shop: Shop) -> Callable[[], Any]:
    shop.bought()
    advance(shop.provider.server, MONTH_AND_A_BIT)
    return shop.event("invoice.paid")


def refund_made_at_the_provider(shop: Shop) -> Callable[[], Any]:
    shop.bought()
    shop.provider.client.v1.refunds.create({"charge": shop.newest_charge()})
    return shop.event("refund.created")


def refund_by_the_outbox(shop: Shop) -> Callable[[], Any]:
    shop.bought()
    charge = shop.purchase.entitlement.payment
    request_refund(charge=charge, why="a test", requested_by="desk")
    return run_due


def refund_of_a_part_by_the_outbox(shop: Shop) -> Callable[[], Any]:
    shop.bought()
    charge = shop.purchase.entitlement.payment
    request_refund(charge=charge, why="a test", requested_by="desk", amount_minor=5_000)
    return run_due


def dispute_opened(shop: Shop) -> Callable[[], Any]:
    shop.bought()
    shop.control("/disputes", charge=shop.newest_charge())
    return shop.event("charge.dispute.created")


def dispute_won(shop: Shop) -> Callable[[], Any]:
    return _decided(shop, "won")


def dispute_lost(shop: Shop) -> Callable[[], Any]:
    return _decided(shop, "lost")


def _decided(shop: Shop, status: str) -> Callable[[], Any]:
    shop.bought()
    dispute = shop.control("/disputes", charge=shop.newest_charge())
    shop.courier.deliver()
    shop.control(f"/disputes/{dispute['id']}", status=status)
    return shop.event("charge.dispute.closed")


def duplicate_payment(shop: Shop) -> Callable[[], Any]:
    shop.bought()
    shop.provider.pay_amount(shop.purchase.pk, shop.purchase.total_minor)
    return shop.event("checkout.session.completed")


def duplicate_payment_goes_back(shop: Shop) -> Callable[[], Any]:
    duplicate_payment(shop)()
    return run_due


# And how many points each had when it was counted: fewer would mean that some are not seen.
CASES: dict[Case, int] = {
    completion_by_session_event: 44,
    completion_by_invoice_event: 44,
    completion_by_return_page: 40,
    renewal: 30,
    refund_made_at_the_provider: 46,
    refund_by_the_outbox: 106,
    refund_of_a_part_by_the_outbox: 40,
    dispute_opened: 54,
    dispute_won: 64,
    dispute_lost: 42,
    duplicate_payment: 40,
    duplicate_payment_goes_back: 52,
}
