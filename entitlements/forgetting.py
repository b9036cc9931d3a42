"""What is known of persons beside evidence: forgotten with their account, or when it is old."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone

from entitlements.models import Outbox, ProviderEvent, Purchase
from licensing.models import Invitation, LicenceSignature, User
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


def forget_old() -> dict[str, int]:
    """Delete what is no evidence and served its purpose; how many rows of each kind went.

    Sessions go when they are over; the rest FORGET_AFTER_DAYS after it was done, applied or over.
    """
    now = timezone.now()
    before = now - timedelta(days=settings.FORGET_AFTER_DAYS)
    over = Q(revoked_at__lt=before) | Q(revoked_at=None, expires_at__lt=before)
    # A provider repeats an event for some weeks; after that nobody needs to know it again.
    settled = [ProviderEvent.Outcome.APPLIED, ProviderEvent.Outcome.IGNORED]
    old = {
        "sessions": Session.objects.filter(expire_date__lt=now),
        "letters": Outbox.objects.filter(done_at__lt=before),
        "events": ProviderEvent.objects.filter(outcome__in=settled, received_at__lt=before),
        "invitations": Invitation.objects.filter(over, accepted_at=None),
    }
    return {kind: rows.delete()[0] for kind, rows in old.items()}
