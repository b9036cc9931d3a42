"""Customers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call, changed, echoed, merged_metadata
from sandbox.objects import tax_ids
from sandbox.objects.instruments import owned
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

_HANDLED = ("invoice_settings",)
_NOT_SIMULATED = ("balance", "cash_balance", "invoice_credit_balance", "tax", "test_clock")


def create(call: Call) -> Json:
    """POST /v1/customers."""
    handled = ("tax_id_data",)
    fields = echoed(stripe.Customer, call.params, handled=handled, refused=_NOT_SIMULATED)
    metadata = merged_metadata({}, call.params)
    customer = add_customer(call.work, fields | {"metadata": metadata})
    for number, given in enumerate(call.params.get("tax_id_data", ())):
        path = f"tax_id_data[{number}][value]"
        tax_ids.add(call.work, customer, given["type"], given["value"], path=path)
    return customer


def update(call: Call) -> Json:
    """POST /v1/customers/{id}."""
    customer = call.work.get("customer", call.id)
    changes = echoed(stripe.Customer, call.params, handled=_HANDLED, refused=_NOT_SIMULATED)
    changes["invoice_settings"] = _invoice_settings(call, customer)
    changes["metadata"] = merged_metadata(customer["metadata"], call.params)
    customer, previous = changed(stripe.Customer, customer, changes)
    call.work.emit("customer.updated", call.work.save(customer), previous)
    return customer


def _invoice_settings(call: Call, customer: Json) -> Json:
    given = call.params.get("invoice_settings", {})
    method = given.get("default_payment_method")
    if method:
        param = "invoice_settings[default_payment_method]"
        owned(call.work, method, customer["id"], param=param)
    return {**customer["invoice_settings"], **given}


def add_customer(work: Work, fields: Json) -> Json:
    """Store a new customer and tell of it."""
    defaults = {
        "balance": 0,
        "delinquent": False,
        "invoice_settings": {},
        "metadata": {},
        "tax_exempt": "none",
    }
    customer = work.add(new(stripe.Customer, work.now, {**defaults, **fields}))
    work.emit("customer.created", customer)
    return customer
