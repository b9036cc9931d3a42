"""What the hosted page asks of a buyer besides the payment, and where the answers go."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sandbox.errors import ApiError, PageRefusal
from sandbox.objects import tax_ids
from sandbox.objects.customers import add_customer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.shapes import Json
    from sandbox.work import Work

_ADDRESS = ("line1", "city", "postal_code", "country")


@dataclass(frozen=True)
class Buyer:
    """The answers of one buyer; what was not asked is None or empty."""

    email: str
    name: str | None = None
    address: Json | None = None
    tax_number: str = ""
    custom: dict[str, str] = field(default_factory=dict)


def asks_address(session: Json) -> bool:
    """Say whether the page asks for name and address: a tax number needs its country too."""
    return session["billing_address_collection"] == "required" or asks_tax_number(session)


def asks_tax_number(session: Json) -> bool:
    """Say whether the page asks for a tax number."""
    return bool(session["tax_id_collection"] and session["tax_id_collection"]["enabled"])


def read(session: Json, given: Mapping[str, str], *, email: str) -> Buyer:
    """Return the answers of a submitted form; raises PageRefusal for one that is missing."""
    if "@" not in email:
        raise PageRefusal("Enter the e-mail address for the receipt.")
    name: str | None = None
    address: Json | None = None
    if asks_address(session):
        name = _filled(given, "name", "your name")
        address = {part: _filled(given, part, "the billing address") for part in _ADDRESS}
        if not re.fullmatch("[A-Z]{2}", address["country"]):
            raise PageRefusal("Enter the country as two capital letters, such as DE.")
        address |= {"line2": given.get("line2") or None, "state": given.get("state") or None}
    number = given.get("tax_number", "").strip() if asks_tax_number(session) else ""
    return Buyer(email, name, address, number, _custom(session, given))


def enter(work: Work, session: Json, buyer: Buyer, *, update: Json) -> Json:
    """Return the customer of the session, made or brought up to date with the answers.

    `update` is `customer_update`: what the shop lets the page change of a customer it named.
    Raises PageRefusal for a tax number that cannot be.
    """
    if session["customer"] is None:
        fields = {"email": buyer.email, "name": buyer.name, "address": buyer.address}
        customer = add_customer(work, {n: value for n, value in fields.items() if value})
    else:
        customer = work.get("customer", session["customer"])
        changes = {n: getattr(buyer, n) for n in ("name", "address") if update.get(n) == "auto"}
        changes = {n: value for n, value in changes.items() if value}
        if not customer["email"]:
            changes["email"] = buyer.email
        if changes:
            before = {name: customer[name] for name in changes}
            customer |= changes
            work.emit("customer.updated", work.save(customer), before)
    if buyer.tax_number:
        _add_tax_number(work, customer, buyer)
    return customer


def _add_tax_number(work: Work, customer: Json, buyer: Buyer) -> None:
    known = {tax_id["value"] for tax_id in tax_ids.of(work, customer)}
    country = (buyer.address or {})["country"]
    if buyer.tax_number in known:
        return
    if country not in tax_ids.KINDS:
        raise PageRefusal(f"The sandbox knows no tax numbers of {country}; leave it empty.")
    try:
        tax_ids.add(work, customer, tax_ids.KINDS[country], buyer.tax_number, path="value")
    except ApiError as error:
        raise PageRefusal(f"This is no tax number of {country}.") from error


def _custom(session: Json, given: Mapping[str, str]) -> dict[str, str]:
    answers = {}
    for asked in session["custom_fields"]:
        answer = given.get(f"custom_{asked['key']}", "").strip()
        label = asked["label"]["custom"]
        if not answer and not asked["optional"]:
            raise PageRefusal(f"Enter {label}.")
        if answer and asked["type"] == "numeric" and not answer.isdecimal():
            raise PageRefusal(f"Enter {label} in digits.")
        answers[asked["key"]] = answer
    return answers


def _filled(given: Mapping[str, str], name: str, what: str) -> str:
    text = given.get(name, "").strip()
    if not text:
        raise PageRefusal(f"Enter {what}.")
    return text
