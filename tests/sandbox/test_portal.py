"""The billing portal, and the invoice page where a buyer pays after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
import stripe

from tests.sandbox.conftest import DAY, DECLINED, FAILING_LATER, PAYING, advance, ask, pay

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server

SHOP = "http://shop.example/account"


class Visit:
    """A buyer in the portal."""

    def __init__(self, client: stripe.StripeClient, **more: Any) -> None:
        self.client = client
        self.customer = client.v1.customers.list().data[0].id
        params: Any = {"customer": self.customer, "return_url": SHOP, **more}
        self.session = client.v1.billing_portal.sessions.create(params)

    @property
    def subscription(self) -> Any:
        return self.client.v1.subscriptions.list({"status": "all"}).data[0]

    def look(self) -> tuple[int, str]:
        status, _, text = ask("GET", self.session.url)
        return status, text

    def do(self, action: str, **fields: str) -> int:
        fields = {"action": action, "subscription": self.subscription.id, **fields}
        return ask("POST", self.session.url, urlencode(fields))[0]


@pytest.fixture
def visit(client: stripe.StripeClient, paid: Session) -> Visit:
    return Visit(client)


def test_the_portal_shows_subscription_card_and_invoices(visit: Visit) -> None:
    status, text = visit.look()
    assert status == 200
    invoice: Any = visit.client.v1.invoices.list().data[0]
    for part in ("Maintenance", "ending in 4242", invoice.number, invoice.hosted_invoice_url, SHOP):
        assert part in text


def test_a_session_has_the_fields_of_its_class(visit: Visit) -> None:
    for obj in (
        visit.session,
        visit.client.v1.billing_portal.configurations.list().data[0],
    ):
        assert set(type(obj).__annotations__) - set(obj.to_dict()) == {"OBJECT_NAME"}
    assert visit.session.url.endswith(f"/p/session/{visit.session.id}")


def test_the_buyer_cancels_at_the_end_of_the_period_and_resumes(visit: Visit) -> None:
    assert visit.do("cancel") == 303
    ending = visit.subscription
    assert (ending.status, ending.cancel_at_period_end) == ("active", True)
    assert ending.cancellation_details.reason == "cancellation_requested"
    assert "ends on" in visit.look()[1]
    assert visit.do("resume") == 303
    going = visit.subscription
    assert (going.cancel_at_period_end, going.cancel_at) == (False, None)
    told = visit.client.v1.events.list({"type": "customer.subscription.updated"}).data
    assert len(told) == 2


def test_a_new_card_is_charged_at_the_next_renewal(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    pay(session.url, FAILING_LATER)
    visit = Visit(client)
    before = visit.subscription.default_payment_method
    assert visit.do("card", card=DECLINED) == 402
    assert visit.subscription.default_payment_method == before
    assert visit.do("card", card=PAYING) == 303
    method = visit.subscription.default_payment_method
    customer: Any = client.v1.customers.retrieve(visit.customer)
    assert method == customer.invoice_settings.default_payment_method != before
    advance(server, 32 * DAY)
    assert client.v1.charges.list().data[0].payment_method == method
    assert visit.subscription.status == "active"


def test_a_configuration_may_offer_less(client: stripe.StripeClient, paid: Session) -> None:
    features: Any = {
        "features": {"subscription_cancel": {"enabled": True, "mode": "immediately"}},
        "business_profile": {"headline": "Touchstone"},
    }
    configuration = client.v1.billing_portal.configurations.create(features)
    visit = Visit(client, configuration=configuration.id)
    text = visit.look()[1]
    assert "new card" not in text
    assert "<h2>Invoices" not in text
    assert visit.do("card", card=PAYING) == 402
    assert visit.do("cancel") == 303
    assert visit.subscription.status == "canceled"
    off: Any = {"features": {"subscription_cancel": {"enabled": False}}}
    client.v1.billing_portal.configurations.update(configuration.id, off)
    assert visit.do("resume") == 402


def test_what_is_not_the_buyers_is_out_of_reach(visit: Visit) -> None:
    client = visit.client
    other = client.v1.customers.create({"name": "Other"})
    stranger = client.v1.billing_portal.sessions.create({"customer": other.id})
    fields = urlencode({"action": "cancel", "subscription": visit.subscription.id})
    assert ask("POST", stranger.url, fields)[0] == 402
    assert visit.subscription.cancel_at_period_end is False
    assert ask("GET", f"{stranger.url}x")[0] == 404


def test_the_portal_closes_after_an_hour(visit: Visit, server: Server) -> None:
    advance(server, 3600)
    assert visit.look()[0] == 410
    assert visit.do("cancel") == 410
    assert visit.subscription.cancel_at_period_end is False


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({}, "customer"),
        ({"customer": "cus_x"}, "customer"),
        ({"customer": "cus_x", "colour": "red"}, "colour"),
    ],
)
def test_a_session_that_cannot_be_is_refused(
    client: stripe.StripeClient, params: Any, param: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        client.v1.billing_portal.sessions.create(params)
    assert refusal.value.param == param


def test_an_open_invoice_is_paid_on_its_page(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    pay(session.url, FAILING_LATER)
    advance(server, 32 * DAY)
    url = client.v1.invoices.list().data[0].hosted_invoice_url or ""
    assert "Pay this invoice" in ask("GET", url)[2]
    assert pay(url, DECLINED)[0] == 402
    assert pay(url)[0] == 303
    assert client.v1.invoices.list().data[0].status == "paid"
    assert client.v1.subscriptions.list().data[0].status == "active"
    assert pay(url)[0] == 402
    assert "Pay this invoice" not in ask("GET", url)[2]
