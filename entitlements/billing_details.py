"""What Stripe prints on invoices, kept as the store knows it. Each may run twice."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from entitlements.models import ProviderCustomer, Purchase
from entitlements.outbox import enqueue, handles
from entitlements.stripe.client import client
from entitlements.stripe.customers import order_fields, update_customer
from licensing.models import LicensedEntity


@receiver(post_save, sender=LicensedEntity)
def _named_anew(instance: LicensedEntity, **_: object) -> None:
    if ProviderCustomer.objects.filter(entity=instance).exists():
        enqueue("update_customer", {"entity": str(instance.pk)})


@handles("update_customer")
def tell_details(payload: dict[str, Any]) -> None:
    """Name the entity at Stripe as it is named now."""
    update_customer(LicensedEntity.objects.get(pk=payload["entity"]))


@handles("order_number")
def tell_order_number(payload: dict[str, Any]) -> None:
    """Put a purchase's order number on a renewal, while it is still a draft."""
    purchase = Purchase.objects.get(pk=payload["purchase"])
    invoices = client().v1.invoices
    if invoices.retrieve(payload["invoice"]).status == "draft":
        invoices.update(payload["invoice"], params={"custom_fields": order_fields(purchase)})
