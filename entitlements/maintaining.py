"""Where maintenance of a purchase stands, and whether it may begin anew."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from entitlements.models import Hold, ProviderCustomer, Purchase, Subscription
from entitlements.subscribing import paid_until

Status = Subscription.Status


class RenewalRefused(Exception):
    """Maintenance cannot begin anew; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Maintenance:
    """What the buyer is shown: `subscription` is the one that goes on, or else the last."""

    paid_until: datetime | None
    subscription: Subscription | None
    has_portal: bool

    @property
    def goes_on(self) -> bool:
        """Whether it is collected again by itself."""
        return self.subscription is not None and self.subscription.status != Status.CANCELED

    @property
    def has_failed(self) -> bool:
        """Whether the last payment failed."""
        return self.subscription is not None and self.subscription.status == Status.PAST_DUE


def maintenance_of(purchase: Purchase) -> Maintenance:
    """Read where maintenance of a paid purchase stands."""
    newest_first = list(purchase.subscriptions.all())
    living = [each for each in newest_first if each.status != Status.CANCELED]
    return Maintenance(
        paid_until=paid_until(purchase),
        subscription=next(iter(living or newest_first), None),
        has_portal=ProviderCustomer.objects.filter(entity=purchase.entity_id).exists(),
    )


def refuse_renewal(purchase: Purchase) -> None:
    """Raise RenewalRefused while a subscription goes on, or for what is closed."""
    if maintenance_of(purchase).goes_on:
        raise RenewalRefused("Maintenance goes on already: nothing was begun a second time.")
    hold = Hold.objects.filter(entitlement__purchase=purchase, released_at__isnull=True).first()
    if hold is not None:
        raise RenewalRefused(f"Access is closed: {hold.get_reason_display()}.")
