"""Addresses, tax numbers and the shop's own fields: asked on the page, kept, and printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import ADDRESS, ask, kit, pay

if TYPE_CHECKING:
    from stripe.checkout import Session

ORDER = {"key": "order", "label": {"type": "custom", "custom": "Purchase order"}, "type": "text"}
VAT = "DE123456789"


def opened(client: stripe.StripeClient, **changes: Any) -> Session:
    return client.v1.checkout.sessions.create(kit(**changes))


def company(client: stripe.StripeClient, **more: Any) -> stripe.Customer:
    params: Any = {"name": "Meridian GmbH", "email": "ap@meridian.example", **more}
    return client.v1.customers.create(params)


def first_invoice(client: stripe.StripeClient) -> Any:
    return client.v1.invoices.list().data[0]


def test_the_page_asks_only_for_what_the_shop_wants(client: stripe.StripeClient) -> None:
    plain = ask("GET", opened(client).url or "")[2]
    session = opened(
        client,
        billing_address_collection="required",
        tax_id_collection={"enabled": True},
        custom_fields=[ORDER],
    )
    text = ask("GET", session.url or "")[2]
    for name in ("line1", "tax_number", "custom_order"):
        assert f'name="{name}"' in text
        assert f'name="{name}"' not in plain
    assert "Purchase order" in text


def test_the_address_and_number_of_a_new_customer_are_kept(client: stripe.StripeClient) -> None:
    session = opened(
        client, billing_address_collection="required", tax_id_collection={"enabled": True}
    )
    assert pay(session.url, tax_number=VAT)[0] == 303
    details: Any = client.v1.checkout.sessions.retrieve(session.id).customer_details
    assert (details.name, details.address.city) == (ADDRESS["name"], "Berlin")
    assert [(tax.type, tax.value) for tax in details.tax_ids] == [("eu_vat", VAT)]
    invoice = first_invoice(client)
    assert (invoice.customer_address.line1, invoice.customer_tax_ids[0].value) == (
        ADDRESS["line1"],
        VAT,
    )
    customer: Any = client.v1.customers.retrieve(invoice.customer, {"expand": ["tax_ids"]})
    assert [tax.value for tax in customer.tax_ids.data] == [VAT]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"line1": ""}, "Enter the billing address."),
        ({"name": " "}, "Enter your name."),
        ({"country": "Germany"}, "two capital letters"),
        ({"tax_number": "no!"}, "no tax number of DE"),
        ({"country": "JP", "tax_number": "1"}, "no tax numbers of JP"),
        ({"custom_order": ""}, "Enter Purchase order."),
    ],
)
def test_a_form_that_is_not_complete_pays_nothing(
    client: stripe.StripeClient, given: dict[str, str], message: str
) -> None:
    session = opened(client, tax_id_collection={"enabled": True}, custom_fields=[ORDER])
    status, _, text = pay(session.url, **{"custom_order": "PO-7", **given})
    assert (status, message in text) == (402, True)
    assert client.v1.customers.list().data == []
    assert client.v1.charges.list().data == []


def test_a_known_customer_is_changed_only_as_the_shop_allows(client: stripe.StripeClient) -> None:
    for update, city in (({"name": "never"}, None), ({"address": "auto"}, "Berlin")):
        customer = company(client)
        session = opened(
            client,
            customer=customer.id,
            customer_email=None,
            customer_update=update,
            billing_address_collection="required",
        )
        assert pay(session.url)[0] == 303
        after: Any = client.v1.customers.retrieve(customer.id)
        assert (after.name, after.address and after.address.city) == ("Meridian GmbH", city)


def test_tax_numbers_of_a_customer_are_added_read_listed_and_deleted(
    client: stripe.StripeClient,
) -> None:
    customer = company(client, tax_id_data=[{"type": "eu_vat", "value": VAT}])
    tax_ids = client.v1.customers.tax_ids
    added = tax_ids.create(customer.id, {"type": "us_ein", "value": "12-3456789"})
    assert [tax.value for tax in tax_ids.list(customer.id).data] == ["12-3456789", VAT]
    assert tax_ids.retrieve(customer.id, added.id).country == "US"
    assert set(stripe.TaxId.__annotations__) - set(added.to_dict()) <= {"OBJECT_NAME", "deleted"}
    assert tax_ids.delete(customer.id, added.id).deleted is True
    assert [tax.value for tax in tax_ids.list(customer.id).data] == [VAT]
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        tax_ids.create(customer.id, {"type": "eu_vat", "value": "x"})
    assert refusal.value.code == "tax_id_invalid"
    other = company(client)
    with pytest.raises(stripe.InvalidRequestError, match="No such tax id"):
        tax_ids.retrieve(other.id, tax_ids.list(customer.id).data[0].id)


def test_a_purchase_order_given_with_the_session_is_on_every_invoice(
    client: stripe.StripeClient,
) -> None:
    fields = [{"name": "Purchase order", "value": "PO-4711"}]
    general = {"invoice_settings": {"custom_fields": [{"name": "Buyer", "value": "7"}]}}
    customer = company(client, **general)
    for own, printed in ((fields, "PO-4711"), (None, "7")):
        data = {"invoice_settings": {"custom_fields": own}} if own else {}
        session = opened(client, customer=customer.id, customer_email=None, subscription_data=data)
        pay(session.url)
        invoice = first_invoice(client)
        assert [field.value for field in invoice.custom_fields] == [printed]
        assert printed in ask("GET", invoice.hosted_invoice_url)[2]


def test_a_custom_field_is_answered_on_the_session(client: stripe.StripeClient) -> None:
    session = opened(client, custom_fields=[ORDER])
    pay(session.url, custom_order="PO-9")
    (answered,) = client.v1.checkout.sessions.retrieve(session.id).custom_fields
    assert answered.text is not None
    assert (answered.key, answered.text.value) == ("order", "PO-9")


def test_automatic_tax_is_a_setting_that_adds_nothing(client: stripe.StripeClient) -> None:
    session = opened(client, automatic_tax={"enabled": True})
    assert (session.automatic_tax.enabled, session.automatic_tax.status) == (True, None)
    pay(session.url)
    invoice = first_invoice(client)
    assert client.v1.checkout.sessions.retrieve(session.id).automatic_tax.status == "complete"
    assert (invoice.automatic_tax.enabled, invoice.automatic_tax.status) == (True, "complete")
    assert invoice.total == 250_000
    assert client.v1.subscriptions.list().data[0].automatic_tax.enabled is True


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"invoice_creation": {"enabled": True}}, "invoice_creation"),
        ({"customer_update": {"name": "auto"}}, "customer_update"),
        ({"custom_fields": [ORDER | {"type": "dropdown"}]}, "custom_fields"),
        ({"tax_id_collection": {"enabled": "yes"}}, "tax_id_collection[enabled]"),
    ],
)
def test_questions_that_cannot_be_are_refused(
    client: stripe.StripeClient, changes: dict[str, Any], param: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        opened(client, **changes)
    assert refusal.value.param == param


def test_asking_a_known_customer_for_a_tax_number_needs_leave(client: stripe.StripeClient) -> None:
    asking: Any = {"customer": company(client).id, "customer_email": None}
    asking["tax_id_collection"] = {"enabled": True}
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        opened(client, **asking)
    assert refusal.value.param == "customer_update[name]"
    asking["customer_update"] = {"name": "auto", "address": "auto"}
    assert pay(opened(client, **asking).url, tax_number=VAT)[0] == 303
    assert first_invoice(client).customer_tax_ids[0].value == VAT
