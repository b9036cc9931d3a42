"""Which sessions can be: what Stripe would refuse, and what the sandbox does not simulate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.errors import ApiError, exclusive, missing, not_simulated
from sandbox.objects.instruments import BANK, CARD

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.work import Work

_SUBSCRIPTION_DATA = ("description", "invoice_settings", "metadata")


def offered(params: Json) -> list[str]:
    """Return the ways to pay that the page offers."""
    allowed = params.get("allowed_payment_method_types", (CARD, BANK))
    excluded = params.get("excluded_payment_method_types", ())
    return [kind for kind in (CARD, BANK) if kind in allowed and kind not in excluded]


def check(work: Work, params: Json) -> None:
    """Raise ApiError (400) for a session that cannot be, or that is not simulated."""
    if params.get("mode") is None:
        raise missing("mode")
    if params["mode"] != "subscription":
        raise not_simulated("mode", "subscription only")
    if params.get("ui_mode", "hosted_page") != "hosted_page":
        raise not_simulated("ui_mode", "hosted_page only")
    for name in ("line_items", "success_url"):
        if not params.get(name):
            raise missing(name)
    if "customer" in params and "customer_email" in params:
        raise exclusive("customer", "customer_email")
    if "customer" in params:
        work.get("customer", params["customer"], param="customer")
    _check_simulated(params)
    _check_asking(params)


def _check_asking(params: Json) -> None:
    """Raise ApiError (400) where what is asked of the buyer could not be kept."""
    if "invoice_creation" in params:
        raise ApiError(
            "You can only enable invoice creation when `mode` is set to `payment`.",
            param="invoice_creation",
        )
    if any(asked["type"] == "dropdown" for asked in params.get("custom_fields", ())):
        raise not_simulated("custom_fields", "text and numeric only")
    update = params.get("customer_update", {})
    if update and "customer" not in params:
        raise ApiError(
            "`customer_update` can only be used with `customer`.", param="customer_update"
        )
    asks = params.get("tax_id_collection", {}).get("enabled")
    if asks and "customer" in params and update.get("name") != "auto":
        raise ApiError(
            "Tax ID collection requires updating business name on the customer. To enable tax ID"
            " collection for an existing customer, please set `customer_update[name]` to `auto`.",
            param="customer_update[name]",
        )


def _check_simulated(params: Json) -> None:
    if not offered(params):
        raise not_simulated("allowed_payment_method_types", f"{CARD} and {BANK} only")
    for name in params.get("subscription_data", {}):
        if name not in _SUBSCRIPTION_DATA:
            raise not_simulated(f"subscription_data[{name}]")
