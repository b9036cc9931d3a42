"""A licensed entity as Stripe's customer: what invoices say of it."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from typing import TYPE_CHECKING, Any

from entitlements.models import ProviderCustomer, Purchase
from entitlements.stripe.client import PROVIDER, client
from licensing.models import LicensedEntity

if TYPE_CHECKING:
    from stripe import TaxId

logger = logging.getLogger(__name__)
UNION = (
    *("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU"),
    *("IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"),
)
# The countries with one kind of number that a company gives on invoices.
TAX_KINDS = {
    **dict.fromkeys(UNION, "eu_vat"),
    "AU": "au_abn",
    "CH": "ch_vat",
    "GB": "gb_vat",
    "IN": "in_gst",
    "IS": "is_vat",
    "KR": "kr_brn",
    "MX": "mx_rfc",
    "NO": "no_vat",
    "NZ": "nz_gst",
    "TW": "tw_vat",
    "UA": "ua_vat",
    "US": "us_ein",
    "ZA": "za_vat",
}
WITHOUT_SPACES = ("eu_vat", "gb_vat")
LONGEST_FIELD = 140


def customer_for(purchase: Purchase) -> str:
    """The id of the entity's customer, made or brought up to date for this purchase's invoice.

    Raises StripeNotConfigured, StripeError.
    """
    details: dict[str, Any] = {
        **_details(purchase.entity),
        "invoice_settings": {"custom_fields": order_fields(purchase)},
    }
    if purchase.buyer is not None:
        details["email"] = purchase.buyer.email
    known = ProviderCustomer.objects.filter(entity=purchase.entity, provider=PROVIDER).first()
    if known is None:
        known = _make(purchase.entity, details)
    else:
        client().v1.customers.update(known.reference, params=details)  # type: ignore[arg-type]  # the SDK wants its TypedDict, this dict is built by parts
    _tell_tax_number(known)
    return known.reference


def update_customer(entity: LicensedEntity) -> None:
    """Let Stripe name the entity as it is named now; an entity that never paid has no customer."""
    known = ProviderCustomer.objects.filter(entity=entity, provider=PROVIDER).first()
    if known is not None:
        client().v1.customers.update(known.reference, params=_details(entity))  # type: ignore[arg-type]  # the SDK wants its TypedDict, this dict is built by parts
        _tell_tax_number(known)


def order_fields(purchase: Purchase) -> Any:
    """The purchase-order number as an invoice's own field; "" clears what was there."""
    if not purchase.purchase_order:
        return ""
    return [{"name": "Purchase order", "value": purchase.purchase_order[:LONGEST_FIELD]}]


def _make(entity: LicensedEntity, details: dict[str, Any]) -> ProviderCustomer:
    digest = hashlib.sha256(json.dumps(details, sort_keys=True).encode()).hexdigest()
    made = client().v1.customers.create(
        params=details,  # type: ignore[arg-type]  # the SDK wants its TypedDict, this dict is built by parts
        options={"idempotency_key": f"customer:{entity.pk}:{digest}"},
    )
    # Race: two first purchases at once. One customer stays; the other has nothing.
    known, _ = ProviderCustomer.objects.get_or_create(
        entity=entity, provider=PROVIDER, defaults={"reference": made.id}
    )
    return known


def _details(entity: LicensedEntity) -> dict[str, Any]:
    return {
        "name": entity.legal_name,
        # One text, as the entity gave it: its lines are not ours to part.
        "address": {"line1": " ".join(entity.address.split()), "country": entity.country},
        "metadata": {
            "entity": str(entity.pk),
            "registration_number": entity.registration_number,
            "tax_number": entity.tax_number,
        },
    }


def _tell_tax_number(known: ProviderCustomer) -> None:
    """Put the entity's number on its invoices, where Stripe knows its kind; metadata has it too."""
    from stripe import InvalidRequestError  # see client.py

    kind = TAX_KINDS.get(known.entity.country, "")
    number = known.entity.tax_number.strip()
    if kind in WITHOUT_SPACES:
        number = re.sub(r"[\s.-]", "", number).upper()
    tax_ids = client().v1.customers.tax_ids
    there: list[TaxId] = [each for each in tax_ids.list(known.reference).data if each.type == kind]
    try:
        if kind and number and number not in [each.value for each in there]:
            tax_ids.create(
                known.reference,
                params={"type": kind, "value": number},
                options={"idempotency_key": f"tax_id:{known.reference}:{kind}:{number}"},
            )
    except InvalidRequestError as refusal:
        if refusal.code != "tax_id_invalid":
            raise
        logger.warning("entity %s: its tax number is no %s", known.entity_id, kind)
    for each in there:
        if each.value != number:
            tax_ids.delete(known.reference, each.id)
