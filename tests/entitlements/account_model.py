"""Stripe's account in the hands of a state machine: what buyers, banks and people there may do.

The sandbox is the model of the provider: it refuses what Stripe refuses, and its events are the
pool from which the machine delivers.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import stripe
from django.test import Client

from entitlements.models import Payment, Purchase
from entitlements.stripe import checkout
from entitlements.stripe.events import READERS
from tests.courier import Courier
from tests.provider import Provider, send
from tests.sandbox.conftest import API_KEY, advance, ask

MONTH = 32 * 86_400


def two_tabs(purchase: Purchase) -> list[str]:
    """Two open sessions for one purchase, as two clicks at once may leave behind."""
    sessions = []
    for tab in ("first", "second"):
        purchase.checkout_session = tab
        params = checkout.session_params(purchase, checkout.PURCHASE)
        sessions.append(checkout._create(purchase, params))
    Purchase.objects.filter(pk=purchase.pk).update(checkout_session=sessions[0].id)
    return [session.url or "" for session in sessions]


class Account:
    """One Stripe account: its events, and which of them the store was told."""

    def __init__(self, provider: Provider, tabs: list[str]) -> None:
        self.provider, self._unpaid = provider, list(tabs)
        self._courier = Courier(provider)
        self._courier.taken = {each["id"] for each in self._courier.waiting()}
        self._events: list[dict[str, Any]] = []
        self._told: set[str] = set()
        self._browser = Client()

    def pay(self, pick: int) -> None:
        """Pay one of the sessions that are open still."""
        if self._unpaid:
            # A session that has expired meanwhile says so.
            self.provider.pay(self._unpaid.pop(pick % len(self._unpaid)))

    def renew(self) -> None:
        """A month goes by: what is subscribed to is billed."""
        advance(self.provider.server, MONTH)

    def refund(self, pick: int, *, whole: bool, mode: str) -> None:
        """Somebody at Stripe refunds a charge, as far as Stripe lets them."""
        self._control("/refunds", mode=mode)
        if charge := self._any(self.provider.client.v1.charges.list({"limit": 100}).data, pick):
            part: Any = {} if whole else {"amount": charge.amount // 3}
            self._try(self.provider.client.v1.refunds.create, {"charge": charge.id, **part})
        self._control("/refunds", mode="succeed")

    def decide_refund(self, pick: int, status: str) -> None:
        """A refund that was on its way goes through or comes back."""
        if refund := self._any(self.provider.refunds(), pick):
            self._control(f"/refunds/{refund.id}", status=status)

    def dispute(self, pick: int) -> None:
        """A bank takes a charge back."""
        if charge := self._any(self.provider.client.v1.charges.list({"limit": 100}).data, pick):
            self._control("/disputes", charge=charge.id)

    def decide_dispute(self, pick: int, status: str) -> None:
        """A bank decides."""
        if dispute := self._any(self.provider.client.v1.disputes.list().data, pick):
            self._control(f"/disputes/{dispute.id}", status=status)

    def end_subscription(self, pick: int, *, at_once: bool) -> None:
        """Somebody cancels maintenance, now or at the end of what is paid."""
        subscriptions = self.provider.client.v1.subscriptions
        if found := self._any(subscriptions.list().data, pick):
            if at_once:
                self._try(subscriptions.cancel, found.id)
            else:
                self._try(subscriptions.update, found.id, {"cancel_at_period_end": True})

    def tell(self, pick: int) -> None:
        """Deliver any event, whether it is its turn or not, and whether it was told before."""
        self._listen()
        if self._events:
            self._deliver(self._events[pick % len(self._events)])

    def tell_news(self, pick: int) -> None:
        """Deliver an event that was not told before, whether it is its turn or not."""
        self._listen()
        news = [each for each in self._events if each["id"] not in self._told]
        if news:
            self._deliver(news[pick % len(news)])

    def tell_all(self) -> int:
        """Deliver whatever was lost or late; returns how many that were."""
        self._listen()
        news = [each for each in self._events if each["id"] not in self._told]
        for event in news:
            self._deliver(event)
        return len(news)

    def _listen(self) -> None:
        found = self._courier.waiting()
        self._courier.taken |= {each["id"] for each in found}
        self._events += [each for each in found if each["type"] in READERS]

    def _deliver(self, event: dict[str, Any]) -> None:
        answer = send(event, client=self._browser)
        assert answer.status_code == 200, (event["type"], answer.content)
        self._told.add(event["id"])

    def _control(self, path: str, **values: Any) -> None:
        address = f"{self.provider.server.settings.base_url}/sandbox{path}"
        headers = {"Authorization": f"Bearer {API_KEY}"}
        status, _, answer = ask("POST", address, json.dumps(values), headers)
        assert status in (200, 400), answer  # 400: it says why Stripe would not do it

    def _any(self, found: list[Any], pick: int) -> Any:
        return found[pick % len(found)] if found else None

    def _try(self, call: Any, *given: Any) -> None:
        with suppress(stripe.InvalidRequestError):  # refused, nothing happened
            call(*given)


def refundable(pick: int) -> Payment | None:
    """A charge of our ledger, for a refund that the store itself asks for."""
    charges = list(Payment.objects.filter(kind="charge").order_by("reference"))
    return charges[pick % len(charges)] if charges else None
