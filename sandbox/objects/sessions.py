"""Checkout sessions in subscription mode: created, expired, and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripe.checkout import Session

from sandbox.calls import Call, changed, echoed, merged_metadata
from sandbox.errors import ApiError
from sandbox.objects.line_items import line_items, one_currency
from sandbox.objects.session_checks import check, offered
from sandbox.shapes import Json, new, new_id

if TYPE_CHECKING:
    from sandbox.work import Work

_HANDLED = ("mode", "line_items", "subscription_data", "customer_update", "automatic_tax")
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
    check(work, params)
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
        "payment_method_types": offered(params),
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
