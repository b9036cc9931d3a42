"""Test cards, and the payment methods made from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import stripe

from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

PAYING, DECLINED = "4242424242424242", "4000000000000002"
_EXPIRY_MONTH = 12


class CardRefusedError(Exception):
    """The card does not pay; the message is for the person at the page."""


@dataclass(frozen=True)
class Card:
    """A test card that pays."""

    last4: str
    exp_year: int

    def details(self) -> Json:
        """Return the fields that card objects share."""
        return {
            "brand": "visa",
            "country": "US",
            "display_brand": "visa",
            "exp_month": _EXPIRY_MONTH,
            "exp_year": self.exp_year,
            "funding": "credit",
            "last4": self.last4,
        }


def read_card(number: str, *, now: int) -> Card:
    """Return the card behind a typed number; raises CardRefusedError with the reason."""
    digits = "".join(number.split()).replace("-", "")
    if digits == DECLINED:
        raise CardRefusedError("Your card was declined. Try another card.")
    if digits != PAYING:
        raise CardRefusedError(
            "The sandbox knows two cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 declines."
        )
    return Card(last4=digits[-4:], exp_year=datetime.fromtimestamp(now, UTC).year + 5)


def add_payment_method(work: Work, customer: Json, card: Card) -> Json:
    """Store the card as a payment method of the customer."""
    values = {
        "billing_details": {"email": customer["email"], "name": customer["name"]},
        "card": card.details(),
        "customer": customer["id"],
        "metadata": {},
        "type": "card",
    }
    method = work.add(new(stripe.PaymentMethod, work.now, values))
    work.emit("payment_method.attached", method)
    return method
