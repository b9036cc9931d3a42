"""Pages, filters and `expand[]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

if TYPE_CHECKING:
    from stripe.checkout import Session


@pytest.fixture
def names(client: stripe.StripeClient) -> list[str]:
    for number in range(5):
        client.v1.products.create({"name": f"p{number}", "active": number != 4})
    return ["p4", "p3", "p2", "p1", "p0"]


def test_pages_run_from_the_newest_to_the_oldest(
    client: stripe.StripeClient, names: list[str]
) -> None:
    page = client.v1.products.list({"limit": 2})
    assert [product.name for product in page.data] == names[:2]
    assert page.has_more is True
    assert [product.name for product in page.auto_paging_iter()] == names


def test_a_page_can_run_backwards(client: stripe.StripeClient, names: list[str]) -> None:
    everything = client.v1.products.list().data
    before = client.v1.products.list({"ending_before": everything[3].id, "limit": 2})
    assert [product.name for product in before.data] == names[1:3]
    assert before.has_more is True


def test_lists_filter_by_fields_and_times(client: stripe.StripeClient, names: list[str]) -> None:
    assert len(client.v1.products.list({"active": False}).data) == len(names[:1])
    now = client.v1.products.list().data[0].created
    assert client.v1.products.list({"created": {"gt": now + 60}}).data == []
    assert len(client.v1.events.list({"type": "product.*"}).data) == len(names)


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"starting_after": "prod_x"}])
def test_a_page_that_cannot_be_is_refused(
    client: stripe.StripeClient, query: dict[str, object]
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        client.v1.products.list(query)  # type: ignore[arg-type]  # wrong on purpose
    assert refusal.value.param in query


def test_lists_sent_on_request_are_absent_otherwise(
    client: stripe.StripeClient, paid: Session
) -> None:
    plain = client.v1.checkout.sessions.retrieve(paid.id)
    assert "line_items" not in plain
    assert isinstance(plain.invoice, str)
    assert paid.line_items is not None
    assert len(paid.line_items.data) == 2


def test_entries_of_a_list_are_expanded(client: stripe.StripeClient, paid: Session) -> None:
    page = client.v1.checkout.sessions.list({"expand": ["data.subscription.latest_invoice"]})
    subscription = page.data[0].subscription
    assert isinstance(subscription, stripe.Subscription)
    assert isinstance(subscription.latest_invoice, stripe.Invoice)


@pytest.mark.parametrize("path", ["colour", "status", "a.b.c.d.e", "metadata.purchase"])
def test_what_cannot_be_expanded_is_refused(
    client: stripe.StripeClient, paid: Session, path: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="cannot"):
        client.v1.checkout.sessions.retrieve(paid.id, {"expand": [path]})


def found(client: stripe.StripeClient, name: str, **query: Any) -> int:
    return len(getattr(client.v1, name).list(query).data)


def test_lists_find_what_belongs_together(client: stripe.StripeClient, paid: Session) -> None:
    charge = client.v1.charges.list().data[0]
    client.v1.refunds.create({"charge": charge.id, "amount": 5})
    subscription: Any = paid.subscription
    own = {
        "charges": {"customer": charge.customer, "payment_intent": charge.payment_intent},
        "checkout.sessions": {"subscription": subscription.id, "status": "complete"},
        "invoices": {
            "subscription": subscription.id,
            "status": "paid",
            "customer": charge.customer,
        },
        "payment_intents": {"customer": charge.customer},
        "payment_methods": {"customer": charge.customer, "type": "card"},
        "refunds": {"charge": charge.id, "payment_intent": charge.payment_intent},
        "subscriptions": {
            "customer": charge.customer,
            "status": "active",
            "price": subscription["items"].data[0].price.id,
        },
    }
    for name, filters in own.items():
        service = client.v1
        for part in name.split("."):
            service = getattr(service, part)
        assert len(service.list(filters).data) == 1, name
        for field in filters.keys() - {"status", "type"}:
            other = {**filters, field: "x_other"}
            assert service.list(other).data == [], (name, field)
        bounds = {"created": {"gte": charge.created - 60, "lte": charge.created + 60}}
        if name != "payment_methods":
            assert len(service.list(bounds).data) == 1, name
            later = {"created": {"gt": charge.created + 60}}
            assert service.list(later).data == [], name


def test_subscriptions_are_found_by_what_became_of_them(
    client: stripe.StripeClient, paid: Session
) -> None:
    subscription: Any = paid.subscription
    end = subscription["items"].data[0].current_period_end
    assert found(client, "subscriptions", current_period_end={"lte": end}) == 1
    assert found(client, "subscriptions", current_period_end={"lt": end}) == 0
    assert found(client, "subscriptions", status="ended") == 0
    client.v1.subscriptions.cancel(subscription.id)
    for status, number in (("ended", 1), ("all", 1), ("canceled", 1), ("active", 0)):
        assert found(client, "subscriptions", status=status) == number, status


def test_events_are_found_by_several_types_and_by_time(
    client: stripe.StripeClient, paid: Session
) -> None:
    kinds = ["invoice.paid", "checkout.session.completed"]
    assert found(client, "events", types=kinds) == 2
    event = client.v1.events.list({"type": "invoice.paid"}).data[0]
    assert found(client, "events", types=kinds, created={"gt": event.created + 60}) == 0
    with pytest.raises(stripe.InvalidRequestError, match="does not simulate delivery_success"):
        client.v1.events.list({"delivery_success": False})


def test_the_payment_methods_of_a_customer_are_listed(
    client: stripe.StripeClient, paid: Session
) -> None:
    customer = client.v1.customers.list().data[0].id
    other = client.v1.customers.create({"name": "Other"}).id
    methods = client.v1.customers.payment_methods
    assert [method.type for method in methods.list(customer).data] == ["card"]
    assert methods.list(other).data == []
