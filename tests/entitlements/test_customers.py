"""The entity as Stripe's customer: what its invoices say, and what follows when it changes."""

from __future__ import annotations

from typing import Any

import pytest

from entitlements.models import ProviderCustomer, Purchase
from entitlements.outbox import run_due
from entitlements.stripe.checkout import start_checkout
from licensing.entity_details import change_details
from licensing.models import LicensedEntity, User
from licensing.signing import EntityDetails
from tests.courier import Courier
from tests.provider import Provider
from tests.sandbox.conftest import DAY, advance


def customer(provider: Provider) -> Any:
    """The only customer at Stripe."""
    (found,) = provider.client.v1.customers.list().data
    return found


def tax_numbers(provider: Provider) -> list[tuple[str, str]]:
    listed = provider.client.v1.customers.tax_ids.list(customer(provider).id)
    return [(each.type, each.value) for each in listed.data]


def test_the_entity_is_one_customer_with_name_address_and_tax_number(
    provider: Provider, pending: Purchase
) -> None:
    start_checkout(pending)
    found = customer(provider)
    assert (found.name, found.email) == ("Meridian Labs GmbH", "ada@meridian.example")
    assert (found.address.line1, found.address.country) == ("Hauptstrasse 1, 10115 Berlin", "DE")
    assert tax_numbers(provider) == [("eu_vat", "DE123456789")]
    row = ProviderCustomer.objects.get()
    assert (row.entity, row.reference) == (pending.entity, found.id)
    assert provider.sessions()[0].customer == found.id


@pytest.mark.parametrize(
    ("country", "number", "shown"),
    [
        ("DE", "DE 123 456 789", [("eu_vat", "DE123456789")]),
        ("DE", "12/345", []),
        ("DE", "", []),
        ("BR", "12.345.678/0001-00", []),
        ("US", "12-3456789", [("us_ein", "12-3456789")]),
    ],
)
def test_a_number_that_stripe_cannot_show_is_in_the_metadata(
    provider: Provider,
    pending: Purchase,
    country: str,
    number: str,
    shown: list[tuple[str, str]],
) -> None:
    LicensedEntity.objects.update(country=country, tax_number=number)
    start_checkout(Purchase.objects.get())
    assert tax_numbers(provider) == shown
    assert customer(provider).metadata.to_dict().get("tax_number", "") == number


def test_when_the_entity_is_named_anew_its_customer_follows(
    provider: Provider, pending: Purchase, owner: User, entity: LicensedEntity
) -> None:
    start_checkout(pending)
    named = EntityDetails(
        legal_name="Meridian SE",
        registration_number="HRB 9",
        country="DE",
        address="Neue Strasse 2, Berlin",
        tax_number="DE987654321",
    )
    change_details(account=owner, entity=entity, details=named)
    run_due()
    assert (customer(provider).name, tax_numbers(provider)) == (
        "Meridian SE",
        [("eu_vat", "DE987654321")],
    )


def test_the_purchase_order_is_on_the_first_invoice_and_on_each_renewal(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    Purchase.objects.update(purchase_order="PO-7")
    provider.pay(start_checkout(Purchase.objects.get()))
    courier.deliver()
    # The entity's next purchase has another number.
    provider.client.v1.customers.update(
        customer(provider).id,
        {"invoice_settings": {"custom_fields": [{"name": "Purchase order", "value": "PO-8"}]}},
    )
    advance(provider.server, 31 * DAY + 600)
    courier.deliver()
    run_due()
    advance(provider.server, DAY)
    renewal, first = provider.client.v1.invoices.list().data
    assert (renewal.status, renewal.billing_reason) == ("paid", "subscription_cycle")
    for each in (first, renewal):
        fields = each.to_dict()["custom_fields"]
        assert fields == [{"name": "Purchase order", "value": "PO-7"}]
