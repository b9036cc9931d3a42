"""Test cards and test bank accounts, and the payment methods made from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call
from sandbox.errors import ApiError, PageRefusal, not_simulated
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

PAYING, DECLINED, FAILING_LATER = "4242424242424242", "4000000000000002", "4000000000000341"
CARD, BANK = "card", "us_bank_account"
BEHAVIOURS = ("works", "fails")
# Stripe's own names for test cards: attaching one makes a new payment method of the customer.
_NAMED = {"pm_card_visa": "works", "pm_card_chargeCustomerFail": "fails"}
_EXPIRY_MONTH = 12


@dataclass(frozen=True)
class Instrument:
    """What a buyer pays with. A card pays now; `later` is how it behaves after that.

    A bank account has no now: it is heard of days later, and then it does what `later` says.
    """

    type: str
    details: Json
    later: str = "works"


def read_card(number: str, *, now: int) -> Instrument:
    """Return the card behind a typed number; raises PageRefusal with the reason."""
    digits = "".join(number.split()).replace("-", "")
    if digits == DECLINED:
        raise PageRefusal("Your card was declined. Try another card.")
    if digits not in (PAYING, FAILING_LATER):
        raise PageRefusal(
            "The sandbox knows three cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0341 pays now"
            " and fails later, 4000 0000 0000 0002 declines."
        )
    return _card(digits, later="works" if digits == PAYING else "fails", now=now)


def bank_account(later: str) -> Instrument:
    """Return one of Stripe's test accounts: the one that pays, or the one that fails."""
    details = {
        "account_holder_type": "company",
        "account_type": "checking",
        "bank_name": "STRIPE TEST BANK",
        "last4": "6789" if later == "works" else "1116",
        "routing_number": "110000000",
    }
    return Instrument(BANK, details, later)


def add_payment_method(work: Work, customer: Json, instrument: Instrument) -> Json:
    """Store what the buyer pays with as a payment method of the customer."""
    values = {
        "billing_details": {"email": customer["email"], "name": customer["name"]},
        "customer": customer["id"],
        "metadata": {},
        "type": instrument.type,
        instrument.type: instrument.details,
    }
    method = work.add(new(stripe.PaymentMethod, work.now, values))
    work.emit("payment_method.attached", method)
    return method


def attach(call: Call) -> Json:
    """POST /v1/payment_methods/{id}/attach: one of Stripe's named test cards, to a customer."""
    work = call.work
    for name in call.params:
        if name not in ("customer", "expand"):
            raise not_simulated(name)
    customer = work.get("customer", call.params.get("customer", ""), param="customer")
    later = _NAMED.get(call.id)
    if later is None:
        owner = work.get("payment_method", call.id)["customer"]
        if owner == customer["id"]:
            return work.get("payment_method", call.id)
        raise ApiError("The payment method you provided is attached to another customer.")
    number = PAYING if later == "works" else FAILING_LATER
    method = add_payment_method(work, customer, _card(number, later=later, now=work.now))
    behave(work, method["id"], later)
    return method


def detach(call: Call) -> Json:
    """POST /v1/payment_methods/{id}/detach: nothing is charged to it any more."""
    work = call.work
    method = work.get("payment_method", call.id)
    if method["customer"] is None:
        raise ApiError("The payment method you provided is not attached to a customer.")
    for subscription in work.where("subscription", "default_payment_method", method["id"]):
        work.save(subscription | {"default_payment_method": None})
    customer = work.get("customer", method["customer"])
    if customer["invoice_settings"]["default_payment_method"] == method["id"]:
        customer["invoice_settings"]["default_payment_method"] = None
        work.save(customer)
    before = {"customer": method["customer"]}
    method["customer"] = None
    work.emit("payment_method.detached", work.save(method), before)
    return method


def owned(work: Work, method_id: str, customer_id: str, *, param: str) -> Json:
    """Return a payment method of this customer; raises ApiError (400) for another's."""
    method = work.get("payment_method", method_id, param=param)
    if method["customer"] != customer_id:
        raise ApiError(
            f"The customer does not have a payment method with the ID {method_id}. The payment"
            " method must be attached to the customer.",
            code="resource_missing",
            param=param,
        )
    return method


def behave(work: Work, method_id: str, behaviour: str) -> None:
    """Let a payment method work or fail from now on."""
    work.set(f"card/{method_id}", behaviour)


def works(work: Work, method_id: str) -> bool:
    """Say whether a payment method pays now."""
    return bool(work.setting(f"card/{method_id}", "works") == "works")


def _card(digits: str, *, later: str, now: int) -> Instrument:
    details = {
        "brand": "visa",
        "country": "US",
        "display_brand": "visa",
        "exp_month": _EXPIRY_MONTH,
        "exp_year": datetime.fromtimestamp(now, UTC).year + 5,
        "funding": "credit",
        "last4": digits[-4:],
    }
    return Instrument(CARD, details, later)
