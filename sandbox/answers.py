"""How handlers answer: with one object, or with a page of many, shown as the client asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.expansion import shown
from sandbox.listing import page
from sandbox.objects import tax_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandbox.calls import Call
    from sandbox.shapes import Json

    Handler = Callable[[Call], Json]


def acting(action: Handler) -> Handler:
    """Answer with the object that an action returns, expanded as asked."""

    def handler(call: Call) -> Json:
        return shown(call.work, action(call), call.params.get("expand", ()))

    return handler


def reading(kind: str) -> Handler:
    """Answer with one object."""
    return acting(lambda call: call.work.get(kind, call.id))


def listing(kind: str, url: str) -> Handler:
    """Answer with a page of all objects of a kind."""

    def handler(call: Call) -> Json:
        return _list(call, kind, url, call.work.newest(kind))

    return handler


def line_items(call: Call) -> Json:
    """GET the line items of a session, in the order they were given."""
    session = call.work.get("checkout.session", call.id)
    items = call.work.children("item", session["id"])
    return _list(call, "item", f"/v1/checkout/sessions/{call.id}/line_items", items)


def tax_id_list(call: Call) -> Json:
    """GET the tax numbers of a customer, the newest first."""
    found = tax_ids.of(call.work, call.work.get("customer", call.id))
    return _list(call, "tax_id", f"/v1/customers/{call.id}/tax_ids", found[::-1])


def customers_methods(call: Call) -> Json:
    """GET the payment methods of a customer, the newest first."""
    customer = call.work.get("customer", call.id)
    found = call.work.where("payment_method", "customer", customer["id"])
    return _list(call, "payment_method", f"/v1/customers/{call.id}/payment_methods", found[::-1])


def invoice_lines(call: Call) -> Json:
    """GET the lines of an invoice."""
    lines = call.work.get("invoice", call.id)["lines"]["data"]
    return _list(call, "line_item", f"/v1/invoices/{call.id}/lines", lines)


def subscription_items(call: Call) -> Json:
    """GET the items of the subscription that the query names."""
    subscription = call.work.get("subscription", call.params["subscription"], param="subscription")
    items = subscription["items"]["data"]
    return _list(call, "subscription_item", "/v1/subscription_items", items)


def _list(call: Call, kind: str, url: str, objects: list[Json]) -> Json:
    answer = page(kind, url, objects, call.params)
    answer["data"] = [shown(call.work, obj) for obj in answer["data"]]
    return shown(call.work, answer, call.params.get("expand", ()))
