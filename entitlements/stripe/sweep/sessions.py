"""Checkout sessions: pages that would take money twice, and purchases that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from entitlements.difference import Difference
from entitlements.models import Purchase
from entitlements.stripe.checkout import PURCHASE
from entitlements.stripe.client import client
from entitlements.stripe.reading import Object, part, text
from entitlements.stripe.settling import settle_purchase
from entitlements.stripe.sweep.reading import FROM_LISTS, PAGE, Window, found, purchase_of


def compare_sessions(window: Window) -> Iterator[Difference]:
    """Pending purchases whose session is paid or unknown, then open pages of what is paid."""
    sessions = client().v1.checkout.sessions
    pending = Purchase.objects.filter(state=Purchase.State.PENDING).exclude(checkout_session="")
    for purchase in pending.filter(created_at__gte=window.since):
        window.looked_at("purchases")
        yield from _of(purchase, found(sessions.retrieve, purchase.checkout_session))
    listed = sessions.list(params={"status": "open", "created": window.created, "limit": PAGE})
    for session in window.each("sessions", listed):
        named = purchase_of(session.get("client_reference_id"))
        again = part(session, "metadata").get("purpose", PURCHASE) != PURCHASE
        if named is not None and named.state == Purchase.State.PAID and not again:
            yield Difference(
                subject=f"session {session.get('id')}",
                said=f"purchase {named.pk} is paid, and this page would take the money twice",
                way_out=FROM_LISTS,
                repair=partial(sessions.expire, text(session, "id")),
            )


def _of(purchase: Purchase, session: Object | None) -> Iterator[Difference]:
    if session is None:
        yield Difference(
            subject=f"purchase {purchase.pk}",
            said=f"its session {purchase.checkout_session} is unknown to Stripe",
            way_out=FROM_LISTS,
            repair=partial(_forget, purchase),
        )
    elif session.get("payment_status") == "paid":
        yield Difference(
            subject=f"purchase {purchase.pk}",
            said=f"its session {purchase.checkout_session} is paid, and the purchase is not",
            way_out=FROM_LISTS,
            repair=partial(settle_purchase, purchase),
        )


def _forget(purchase: Purchase) -> None:
    lost = Purchase.objects.filter(pk=purchase.pk, checkout_session=purchase.checkout_session)
    lost.update(checkout_session="")
