"""What this room knows of a person beside evidence: letters in the outbox, a provider's events."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.dispatch import receiver

from entitlements.models import Outbox, ProviderEvent, Purchase
from licensing.models import LicenceSignature, User
from licensing.signals import account_deleting

# Where Stripe's objects speak of who pays.
PERSONAL = {
    "address",
    "billing_details",
    "customer_address",
    "customer_details",
    "customer_email",
    "customer_name",
    "customer_phone",
    "customer_shipping",
    "email",
    "individual_name",
    "name",
    "phone",
    "receipt_email",
    "shipping",
    "shipping_details",
}


@receiver(account_deleting)
def forget_person(account: User, addresses: set[str], **_: object) -> None:
    """Take back an account's letters, and take its person out of the events of its purchases."""
    purchases = [
        str(pk) for pk in Purchase.objects.filter(buyer=account).values_list("pk", flat=True)
    ]
    signatures = LicenceSignature.objects.filter(account=account).values_list("pk", flat=True)
    Outbox.objects.filter(
        Q(kind="purchase_completed", payload__purchase__in=purchases)
        | Q(kind="licence_signed", payload__signature__in=[str(pk) for pk in signatures])
    ).delete()
    told = Q(payload__data__object__client_reference_id__in=purchases)
    for address in addresses:
        told |= Q(payload__icontains=address)
    for event in ProviderEvent.objects.filter(told).select_for_update():
        event.payload = without_person(event.payload)
        event.save(update_fields=["payload"])


def without_person(value: Any) -> Any:
    """A provider's object without what it says of persons. What settles a payment stays."""
    if isinstance(value, dict):
        return {
            key: None if key in PERSONAL else without_person(each) for key, each in value.items()
        }
    return [without_person(each) for each in value] if isinstance(value, list) else value
