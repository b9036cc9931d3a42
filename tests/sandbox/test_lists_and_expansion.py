"""Pages, filters and `expand[]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
