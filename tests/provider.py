"""The payment provider of the tests: the sandbox over HTTP, a browser and a courier beside it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from django.test import Client

from sandbox.signing import signature_header
from tests.sandbox.conftest import API_KEY, PAYING, WEBHOOK_SECRET, ask, control, pay, sdk

if TYPE_CHECKING:
    from stripe import Refund
    from stripe.checkout import Session

    from sandbox.server import Server

WEBHOOK = "/webhooks/stripe/"


class Provider:
    """What a test asks of the sandbox, as a browser or with the official SDK."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = sdk(server)
        # Events stay here until a test delivers them itself.
        control(server, "POST", "/behaviour", {"mode": "lose"})

    def sessions(self) -> list[Session]:
        """Every checkout session, the newest first."""
        return self.client.v1.checkout.sessions.list().data

    def refunds(self) -> list[Refund]:
        """Every refund, the newest first."""
        return self.client.v1.refunds.list().data

    def pay(self, address: str, card: str = PAYING) -> int:
        """Submit the hosted page; 303 means paid."""
        return pay(address, card)[0]

    def pay_amount(self, purchase_id: object, amount: int) -> None:
        """Pay an amount for a purchase in a session that the store did not open."""
        price: Any = {
            "currency": "usd",
            "unit_amount": amount,
            "product_data": {"name": "Everything at once"},
            "recurring": {"interval": "month"},
        }
        session = self.client.v1.checkout.sessions.create(
            {
                "mode": "subscription",
                "client_reference_id": str(purchase_id),
                "customer_email": "ada@meridian.example",
                "line_items": [{"price_data": price, "quantity": 1}],
                "success_url": "http://shop.example/",
            }
        )
        assert self.pay(session.url or "") == 303

    def event(self, kind: str = "checkout.session.completed") -> dict[str, Any]:
        """The newest event of a type, as the courier would send it."""
        address = f"{self.server.settings.base_url}/v1/events?type={kind}"
        status, _, text = ask("GET", address, "", {"Authorization": f"Bearer {API_KEY}"})
        assert status == 200, text
        newest: dict[str, Any] = json.loads(text)["data"][0]
        return newest


def send(
    body: Any,
    *,
    secret: str = WEBHOOK_SECRET,
    age: int = 0,
    header: str | None = None,
    client: Client | None = None,
) -> Any:
    """Post a signed body to the webhook; bytes go as they are, anything else as JSON.

    `header` replaces the signature.
    """
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    made = signature_header(raw, secret=secret, now=int(time.time()) - age)
    signed = {"Stripe-Signature": made if header is None else header}
    return (client or Client()).post(
        WEBHOOK, data=raw, content_type="application/json", headers=signed
    )


def paid_event(purchase: Any, **changed: Any) -> dict[str, Any]:
    """The event that a purchase's session was paid; `changed` replaces fields of the session."""
    session = {
        "id": "cs_1",
        "object": "checkout.session",
        "client_reference_id": str(purchase.pk),
        "payment_status": "paid",
        "invoice": "in_1",
        "amount_total": purchase.total_minor,
        "currency": purchase.currency.lower(),
    }
    return {
        "id": "evt_1",
        "object": "event",
        "type": "checkout.session.completed",
        "data": {"object": session | changed},
    }
