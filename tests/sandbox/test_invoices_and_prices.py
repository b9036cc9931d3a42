"""Invoices that the shop edits and people read, and prices found by their key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import ask, control

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server


def test_a_draft_takes_a_purchase_order_and_a_final_invoice_does_not(
    client: stripe.StripeClient, server: Server, paid: Session
) -> None:
    subscription: Any = paid.subscription
    end = subscription["items"].data[0].current_period_end
    control(server, "POST", "/clock", {"to": end})
    draft = client.v1.invoices.list({"status": "draft"}).data[0]
    fields: Any = {"custom_fields": [{"name": "Purchase order", "value": "PO-1"}]}
    client.v1.invoices.update(draft.id, fields)
    control(server, "POST", "/clock", {"advance": 3600})
    final: Any = client.v1.invoices.retrieve(draft.id)
    assert (final.status, final.custom_fields[0].value) == ("paid", "PO-1")
    with pytest.raises(stripe.InvalidRequestError, match="Finalized"):
        client.v1.invoices.update(draft.id, fields)
    noted: Any = client.v1.invoices.update(draft.id, {"metadata": {"a": "b"}})
    assert noted.metadata["a"] == "b"


def test_an_invoice_has_a_page(client: stripe.StripeClient, paid: Session) -> None:
    invoice: Any = paid.invoice
    for address in (invoice.hosted_invoice_url, invoice.invoice_pdf):
        status, headers, text = ask("GET", address)
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        for part in (invoice.number, "2,500.00 USD", "1 × Kit", "buyer@example.com", "paid"):
            assert part in text
    assert ask("GET", f"{invoice.hosted_invoice_url}x")[0] == 404


def new_price(client: stripe.StripeClient, product: str, **more: Any) -> stripe.Price:
    params: Any = {"product": product, "currency": "usd", "unit_amount": 5, **more}
    return client.v1.prices.create(params)


def found(client: stripe.StripeClient, *keys: str) -> list[str]:
    return [price.id for price in client.v1.prices.list({"lookup_keys": list(keys)}).data]


def test_a_lookup_key_moves_to_a_new_price_only_when_told(client: stripe.StripeClient) -> None:
    product = client.v1.products.create({"name": "Kit"}).id
    old = new_price(client, product, lookup_key="kit")
    with pytest.raises(stripe.InvalidRequestError, match="already uses that lookup key"):
        new_price(client, product, lookup_key="kit", unit_amount=6)
    assert found(client, "kit", "other") == [old.id]
    new = new_price(client, product, lookup_key="kit", unit_amount=6, transfer_lookup_key=True)
    assert found(client, "kit") == [new.id]
    assert client.v1.prices.retrieve(old.id).lookup_key is None
    client.v1.prices.update(old.id, {"lookup_key": "kit", "transfer_lookup_key": True})
    assert found(client, "kit") == [old.id]


def test_an_archived_price_is_listed_apart_and_sells_nothing(client: stripe.StripeClient) -> None:
    product = client.v1.products.create({"name": "Kit"}).id
    price = new_price(client, product)
    client.v1.prices.update(price.id, {"active": False})
    assert client.v1.prices.list({"active": True}).data == []
    assert [p.id for p in client.v1.prices.list({"active": False}).data] == [price.id]
