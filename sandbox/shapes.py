"""Objects in the shape that the Stripe SDK's resource classes declare.

A field that the sandbox does not set is null, or an empty value where the class allows no null,
so the SDK always finds the attributes it declares.
"""

from __future__ import annotations

import secrets
import string
from typing import Any, ClassVar, Literal, Union, get_args, get_origin

from stripe import ListObject, StripeObject

Json = dict[str, Any]

# kind: (prefix of its ids, number of random characters after it)
IDS = {
    "balance_transaction": ("txn_", 24),
    "billing_portal.configuration": ("bpc_", 24),
    "billing_portal.session": ("bps_", 24),
    "charge": ("ch_", 24),
    "checkout.session": ("cs_test_", 58),
    "customer": ("cus_", 14),
    "dispute": ("du_", 24),
    "event": ("evt_", 24),
    "invoice": ("in_", 24),
    "invoice_payment": ("inpay_", 24),
    "invoiceitem": ("ii_", 24),
    "item": ("li_", 24),
    "line_item": ("il_", 24),
    "payment_intent": ("pi_", 24),
    "payment_method": ("pm_", 24),
    "price": ("price_", 24),
    "product": ("prod_", 14),
    "refund": ("re_", 24),
    "subscription": ("sub_", 24),
    "tax_id": ("txi_", 24),
    "subscription_item": ("si_", 14),
}
_ALPHABET = string.ascii_letters + string.digits
_EMPTY = {bool: False, int: 0, float: 0.0, str: ""}


def new_id(kind: str) -> str:
    """Return a fresh id with Stripe's prefix for this kind of object."""
    prefix, length = IDS[kind]
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(length))


def new(resource: type[StripeObject], now: int, values: Json) -> Json:
    """Return a new object of `resource`, created `now` (Unix seconds), with `values` set."""
    kind = str(vars(resource)["OBJECT_NAME"])
    identifier = values.get("id") or new_id(kind)
    return fill(resource, {"created": now, **values, "id": identifier}) | {"object": kind}


def fill(resource: type[StripeObject], values: Json) -> Json:
    """Return every declared field of `resource`: those in `values` set, the others empty."""
    result: Json = {}
    for name, hint in _declared(resource).items():
        given = name in values
        result[name] = _shaped(hint, values[name]) if given else _empty(hint)
    return result


def declares(resource: type[StripeObject], name: str) -> bool:
    """Say whether the SDK's class has this field."""
    return name in _declared(resource)


def list_of(url: str, data: list[Json], *, has_more: bool = False) -> Json:
    """Return Stripe's list object."""
    return {"object": "list", "url": url, "has_more": has_more, "data": data}


def _declared(resource: type[StripeObject]) -> dict[str, Any]:
    hints = resource.__annotations__
    # `deleted` appears on deleted objects only, and then it is true.
    return {
        name: hint
        for name, hint in hints.items()
        if not _is_class_variable(hint) and name != "deleted"
    }


def _is_class_variable(hint: Any) -> bool:
    return getattr(hint, "__origin__", None) is ClassVar


def _shaped(hint: Any, value: Any) -> Any:
    nested = _nested(hint)
    if nested is None:
        return value
    if isinstance(value, list):
        return [fill(nested, entry) if isinstance(entry, dict) else entry for entry in value]
    return fill(nested, value) if isinstance(value, dict) else value


def _nested(hint: Any) -> type[StripeObject] | None:
    """Return the class that the SDK declares inside the resource for this field, if any."""
    if isinstance(hint, type):
        return hint if issubclass(hint, StripeObject) and "." in hint.__qualname__ else None
    found = (_nested(arm) for arm in get_args(hint))
    return next((resource for resource in found if resource), None)


def _empty(hint: Any) -> Any:
    origin, arms = get_origin(hint), get_args(hint)
    if origin is Union:
        return None if type(None) in arms else _empty(arms[0])
    if origin is Literal:
        return arms[0]
    if origin is list:
        return []
    if isinstance(origin, type) and issubclass(origin, StripeObject):
        return list_of("", []) if origin is ListObject else {}
    if isinstance(hint, type) and issubclass(hint, StripeObject):
        return fill(hint, {})
    return _EMPTY.get(hint)
