"""The line items of a checkout session, each with its price as it was at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripe import LineItem

from sandbox.calls import merged_metadata
from sandbox.errors import ApiError, exclusive, missing, not_simulated
from sandbox.objects.products import add_price
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work


def line_items(work: Work, given: list[Json]) -> list[Json]:
    """Return the items for `line_items` params; inline prices and products are stored."""
    return [_line_item(work, item, f"line_items[{n}]") for n, item in enumerate(given)]


def one_currency(items: list[Json], asked: str | None) -> str:
    """Return the currency of a session; raises ApiError (400) unless its lines fit together."""
    currencies = {item["currency"] for item in items}
    wanted = str(asked or items[0]["currency"]).lower()
    if currencies != {wanted}:
        raise ApiError(
            "All prices of a Checkout Session must have the same currency, and it must be"
            f" `currency` if that is given. Found: {', '.join(sorted(currencies | {wanted}))}.",
            param="line_items",
        )
    cycles = [item["price"]["recurring"] for item in items if item["price"]["recurring"]]
    if not cycles:
        raise ApiError(
            "You must provide at least one recurring price in `subscription` mode when using"
            " prices.",
            param="line_items",
        )
    if any(cycle != cycles[0] for cycle in cycles):
        raise not_simulated("line_items", "recurring prices of one interval only")
    return wanted


def _line_item(work: Work, item: Json, path: str) -> Json:
    for name in ("adjustable_quantity", "tax_rates"):
        if name in item:
            raise not_simulated(f"{path}[{name}]")
    if item.get("quantity") is None:
        raise missing(f"{path}[quantity]")
    if item["quantity"] < 1:
        raise ApiError("This value must be greater than or equal to 1.", param=f"{path}[quantity]")
    price = _price(work, item, path)
    amount = price["unit_amount"] * item["quantity"]
    values = {
        "amount_subtotal": amount,
        "amount_total": amount,
        "currency": price["currency"],
        "description": work.get("product", price["product"])["name"],
        "metadata": merged_metadata({}, item),
        "price": price,
        "quantity": item["quantity"],
    }
    return new(LineItem, work.now, values)


def _price(work: Work, item: Json, path: str) -> Json:
    if "price" in item and "price_data" in item:
        raise exclusive(f"{path}[price]", f"{path}[price_data]")
    if "price_data" in item:
        # Stripe keeps an inline price but leaves it inactive, for this purchase alone.
        return add_price(work, item["price_data"], path=f"{path}[price_data]", active=False)
    if "price" not in item:
        raise missing(f"{path}[price]")
    price = work.get("price", item["price"], param=f"{path}[price]")
    if not price["active"]:
        raise ApiError(
            "The price specified is inactive. This field only accepts active prices.",
            code="price_inactive",
            param=f"{path}[price]",
        )
    return price
