"""Products and prices. Amounts are integers in the currency's minor unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import stripe

from sandbox.calls import Call, changed, echoed, merged_metadata
from sandbox.errors import ApiError, exclusive, missing, not_simulated
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

_PRICE_HANDLED = (
    "product",
    "product_data",
    "recurring",
    "currency",
    "unit_amount",
    "transfer_lookup_key",
)
_PRICE_NOT_SIMULATED = (
    "currency_options",
    "custom_unit_amount",
    "tiers",
    "tiers_mode",
    "transform_quantity",
    "unit_amount_decimal",
)


def create_product(call: Call) -> Json:
    """POST /v1/products; the caller may choose the id."""
    fields = echoed(stripe.Product, call.params, handled=("id",))
    chosen = call.params.get("id")
    if chosen and call.work.find(chosen):
        raise ApiError("Product already exists.", code="resource_already_exists", param="id")
    if chosen:
        fields["id"] = chosen
    return _add_product(call.work, fields | {"metadata": merged_metadata({}, call.params)})


def update_product(call: Call) -> Json:
    """POST /v1/products/{id}."""
    product = call.work.get("product", call.id)
    changes = echoed(stripe.Product, call.params, handled=())
    if changes.get("default_price"):
        call.work.get("price", changes["default_price"], param="default_price")
    changes["metadata"] = merged_metadata(product["metadata"], call.params)
    product, previous = changed(stripe.Product, product, changes | {"updated": call.work.now})
    call.work.emit("product.updated", call.work.save(product), previous)
    return product


def create_price(call: Call) -> Json:
    """POST /v1/prices."""
    return add_price(call.work, call.params, path="", active=call.params.get("active", True))


def update_price(call: Call) -> Json:
    """POST /v1/prices/{id}; amount and currency of a price never change."""
    price = call.work.get("price", call.id)
    handled = ("transfer_lookup_key",)
    changes = echoed(stripe.Price, call.params, handled=handled, refused=_PRICE_NOT_SIMULATED)
    _take_lookup_key(call.work, call.params, price["id"])
    changes["metadata"] = merged_metadata(price["metadata"], call.params)
    price, previous = changed(stripe.Price, price, changes)
    call.work.emit("price.updated", call.work.save(price), previous)
    return price


def add_price(work: Work, data: Json, *, path: str, active: bool) -> Json:
    """Store a price from `price` params or from an inline `price_data` found at `path`."""
    fields = echoed(stripe.Price, data, handled=_PRICE_HANDLED, refused=_PRICE_NOT_SIMULATED)
    _take_lookup_key(work, data, None)
    fields |= {
        "active": active,
        "billing_scheme": "per_unit",
        "currency": _currency(data["currency"], _at(path, "currency")),
        "metadata": merged_metadata({}, data),
        "product": _product(work, data, path),
        "tax_behavior": data.get("tax_behavior", "unspecified"),
        **_amount(data, path),
        **_recurrence(data.get("recurring"), path),
    }
    price = work.add(new(stripe.Price, work.now, fields))
    work.emit("price.created", price)
    return price


def _add_product(work: Work, fields: Json) -> Json:
    defaults = {"active": True, "type": "service", "updated": work.now}
    product = work.add(new(stripe.Product, work.now, {**defaults, **fields}))
    work.emit("product.created", product)
    return product


def _product(work: Work, data: Json, path: str) -> str:
    if "product" in data and "product_data" in data:
        raise exclusive(_at(path, "product"), _at(path, "product_data"))
    if "product" in data:
        return str(work.get("product", data["product"], param=_at(path, "product"))["id"])
    if "product_data" not in data:
        raise missing(_at(path, "product"))
    given = data["product_data"]
    fields = echoed(stripe.Product, given, handled=())
    return str(_add_product(work, fields | {"metadata": merged_metadata({}, given)})["id"])


def _amount(data: Json, path: str) -> Json:
    if "unit_amount" not in data:
        raise missing(_at(path, "unit_amount"))
    amount = data["unit_amount"]
    if amount < 0:
        raise ApiError(
            "Invalid unit_amount: must be greater than or equal to 0",
            param=_at(path, "unit_amount"),
        )
    return {"unit_amount": amount, "unit_amount_decimal": str(amount)}


def _recurrence(recurring: Any, path: str) -> Json:
    if recurring is None:
        return {"type": "one_time", "recurring": None}
    if recurring.get("usage_type", "licensed") != "licensed" or "meter" in recurring:
        raise not_simulated(_at(path, "recurring"), "licensed usage only")
    if recurring.get("interval_count", 1) < 1:
        raise ApiError("Invalid interval_count: must be at least 1", param=_at(path, "recurring"))
    defaults = {"interval_count": 1, "usage_type": "licensed"}
    return {"type": "recurring", "recurring": {**defaults, **recurring}}


def _currency(code: str, param: str) -> str:
    lowered = code.lower()
    if len(lowered) == 3 and lowered.isascii() and lowered.isalpha():
        return lowered
    raise ApiError(f"Invalid currency: {code}", param=param)


def _take_lookup_key(work: Work, data: Json, own_id: str | None) -> None:
    """Free the key of its earlier price if that was asked; raises ApiError (400) if not."""
    key = data.get("lookup_key")
    holders = work.where("price", "lookup_key", key) if key else []
    for price in holders:
        if price["id"] == own_id:
            continue
        if not data.get("transfer_lookup_key"):
            raise ApiError(
                f"A price (`{price['id']}`) already uses that lookup key.", param="lookup_key"
            )
        freed = work.save(price | {"lookup_key": None})
        work.emit("price.updated", freed, {"lookup_key": key})


def _at(path: str, name: str) -> str:
    return f"{path}[{name}]" if path else name
