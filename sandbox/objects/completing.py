"""What a checkout session says once it is complete, and when its payment is heard of later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.objects import tax_ids

if TYPE_CHECKING:
    from sandbox.objects.buyers import Buyer
    from sandbox.shapes import Json
    from sandbox.work import Work


def complete(work: Work, session: Json, *, subscription: Json, buyer: Buyer, paid: bool) -> Json:
    """Complete a session and tell of it; one that is not paid yet says so."""
    customer = work.get("customer", subscription["customer"])
    session |= {
        "customer": customer["id"],
        "customer_details": {
            "address": buyer.address or customer["address"],
            "business_name": customer["business_name"],
            "email": customer["email"],
            "individual_name": customer["individual_name"],
            "name": buyer.name or customer["name"],
            "phone": customer["phone"],
            "tax_exempt": customer["tax_exempt"],
            "tax_ids": tax_ids.brief(work, customer),
        },
        "custom_fields": [_answered(asked, buyer) for asked in session["custom_fields"]],
        "invoice": subscription["latest_invoice"],
        "payment_status": "paid" if paid else "unpaid",
        "status": "complete",
        "subscription": subscription["id"],
        "url": None,
    }
    if session["automatic_tax"]["enabled"]:
        session["automatic_tax"]["status"] = "complete"
    work.emit("checkout.session.completed", work.save(session))
    return session


def _answered(asked: Json, buyer: Buyer) -> Json:
    kind, answer = asked["type"], buyer.custom.get(asked["key"])
    return asked | {kind: (asked[kind] or {}) | {"value": answer or None}}


def tell_session(work: Work, invoice: Json, *, paid: bool) -> None:
    """Tell how the delayed payment of a session's invoice ended; a renewal has no session."""
    for session in work.where("checkout.session", "invoice", invoice["id"]):
        if paid:
            session["payment_status"] = "paid"
        outcome = "succeeded" if paid else "failed"
        work.emit(f"checkout.session.async_payment_{outcome}", work.save(session))
