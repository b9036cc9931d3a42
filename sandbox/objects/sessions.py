"""Checkout sessions in subscription mode: created, expired, and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripe.checkout import Session

from sandbox.calls import Call, changed, echoed, merged_metadata
from sandbox.errors import ApiError, exclusive, missing, not_simulated
from sandbox.objects.instruments import BANK, CARD
from sandbox.objects.line_items import line_items, one_currency
from sandbox.shapes import Json, new, new_id

if TYPE_CHECKING:
    from sandbox.work import Work

_HANDLED = ("mode", "line_items", "subscription_data", "customer_update", "automatic_tax")
_SUBSCRIPTION_DATA = ("description", "invoice_settings", "metadata")
_NOT_SIMULATED = (
    "adaptive_pricing",
    "customer_account",
    "discounts",
    "optional_items",
    "shipping_options",
)
_MINUTE, _HOUR = 60, 3600
SHORTEST, LONGEST = 30 * _MINUTE, 24 * _HOUR


def create(call: Call) -> Json:
    """POST /v1/checkout/sessions."""
    work, params = call.work, call.params
    fields = echoed(Session, params, handled=_HANDLED, refused=_NOT_SIMULATED)
    _check(work, params)
    identifier = new_id("checkout.session")
    items = line_items(work, params["line_items"])
    currency = one_currency(items, params.get("currency"))
    total = sum(item["amount_total"] for item in items)
    fields |= {
        "id": identifier,
        "automatic_tax": _automatic_tax(params),
        "amount_subtotal": total,
        "amount_total": total,
        "currency": currency,
        "customer_creation": None if "customer" in params else "always",
        "expires_at": _expiry(work, params),
        "metadata": merged_metadata({}, params),
        "mode": params["mode"],
        "payment_method_types": _offered(params),
        "payment_status": "unpaid",
        "status": "open",
        "total_details": {"amount_shipping": 0},
        "ui_mode": "hosted_page",
        "url": f"{call.base_url}/c/pay/{identifier}",
    }
    session = work.add(new(Session, work.now, fields))
    for item in items:
        work.add(item, parent=identifier)
    work.add(_subscription_data(identifier, params), parent=identifier)
    work.plan("session.expire", session, at=session["expires_at"])
    return session


def update(call: Call) -> Json:
    """POST /v1/checkout/sessions/{id}: metadata only."""
    session = call.work.get("checkout.session", call.id)
    echoed(Session, call.params, handled=(), refused=tuple(set(call.params) - {"metadata"}))
    metadata = merged_metadata(session["metadata"], call.params)
    return call.work.save(changed(Session, session, {"metadata": metadata})[0])


def expire(call: Call) -> Json:
    """POST /v1/checkout/sessions/{id}/expire; only an open session can be expired."""
    session = call.work.get("checkout.session", call.id)
    if session["status"] != "open":
        raise ApiError(
            'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout'
            f" Session has a status of {session['status']}."
        )
    return close(call.work, session)


def close(work: Work, session: Json) -> Json:
    """Expire an open session and tell of it."""
    session |= {"status": "expired", "url": None}
    work.emit("checkout.session.expired", work.save(session))
    return session


def lapse(work: Work, session_id: str) -> None:
    """Expire a session whose time has passed, if it is still open."""
    session = work.get("checkout.session", session_id)
    if session["status"] == "open":
        close(work, session)


def _check(work: Work, params: Json) -> None:
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
    if not _offered(params):
        raise not_simulated("allowed_payment_method_types", f"{CARD} and {BANK} only")
    for name in params.get("subscription_data", {}):
        if name not in _SUBSCRIPTION_DATA:
            raise not_simulated(f"subscription_data[{name}]")


def _offered(params: Json) -> list[str]:
    """Return the ways to pay that the page offers."""
    allowed = params.get("allowed_payment_method_types", (CARD, BANK))
    excluded = params.get("excluded_payment_method_types", ())
    return [kind for kind in (CARD, BANK) if kind in allowed and kind not in excluded]


def _automatic_tax(params: Json) -> Json:
    """Return the setting as the session shows it; no tax is computed."""
    enabled = params.get("automatic_tax", {}).get("enabled", False)
    if not enabled:
        return {"enabled": False}
    return {"enabled": True, "liability": {"type": "self"}, "provider": "stripe"}


def _expiry(work: Work, params: Json) -> int:
    expires_at = params.get("expires_at", work.now + LONGEST)
    if not SHORTEST <= expires_at - work.now <= LONGEST:
        raise ApiError(
            "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout"
            " Session creation.",
            param="expires_at",
        )
    return int(expires_at)


def _subscription_data(session_id: str, params: Json) -> Json:
    """Keep what the subscription will carry; Stripe shows none of it on the session."""
    given = params.get("subscription_data", {})
    return {
        "id": f"{session_id}/subscription_data",
        "object": "subscription_data",
        "automatic_tax": params.get("automatic_tax", {}).get("enabled", False),
        "customer_update": params.get("customer_update", {}),
        "description": given.get("description"),
        "invoice_settings": given.get("invoice_settings", {}),
        "metadata": merged_metadata({}, given),
    }
