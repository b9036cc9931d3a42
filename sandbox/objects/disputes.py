"""Disputes: opened and decided by controls, read and given up by the shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import stripe

from sandbox.calls import Call, merged_metadata
from sandbox.errors import ApiError, not_simulated
from sandbox.objects.balance import enter
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

OPENINGS = ("needs_response", "warning_needs_response")
# From which states a control may bring a dispute to another one.
_PATHS = {
    "needs_response": ("warning_needs_response", "warning_under_review"),
    "under_review": ("needs_response",),
    "won": ("needs_response", "under_review"),
    "lost": ("needs_response", "under_review"),
    "warning_under_review": ("warning_needs_response",),
    "warning_closed": ("warning_needs_response", "warning_under_review"),
}
STATUSES = tuple(_PATHS)
_CLOSED = ("won", "lost", "warning_closed")
_CHARGED_BACK = ("needs_response", "under_review", "lost")
_DAYS_TO_ANSWER = 9


def begin(work: Work, charge: Json, *, amount: int, status: str) -> Json:
    """Store a dispute of a paid charge; unless it only warns, the money goes at once."""
    by_card = charge["payment_method_details"]["type"] == "card"
    card = {"brand": "visa", "case_type": "chargeback", "network_reason_code": "10.4"}
    values = {
        "amount": amount,
        "charge": charge["id"],
        "currency": charge["currency"],
        "evidence_details": {"due_by": work.now + _DAYS_TO_ANSWER * 86_400},
        "is_charge_refundable": status not in _CHARGED_BACK,
        "metadata": {},
        "payment_intent": charge["payment_intent"],
        "payment_method_details": {"type": "card", "card": card} if by_card else None,
        "reason": "fraudulent",
        "status": status,
    }
    dispute = work.add(new(stripe.Dispute, work.now, values), parent=charge["id"])
    work.save(charge | {"disputed": True})
    work.emit("charge.dispute.created", dispute)
    if status == "needs_response":
        _move(work, dispute, "dispute", -amount, "funds_withdrawn")
    return dispute


def decide(work: Work, dispute: Json, status: str) -> Json:
    """Bring a dispute to another state and tell of it; raises ApiError (400) if it cannot."""
    before = {"status": dispute["status"]}
    if dispute["status"] not in _PATHS[status]:
        raise ApiError(f"The dispute is {dispute['status']} and cannot become {status}.")
    dispute["status"] = status
    dispute["is_charge_refundable"] = status not in _CHARGED_BACK
    work.save(dispute)
    if status in _CLOSED:
        work.emit("charge.dispute.closed", dispute, before)
    else:
        work.emit("charge.dispute.updated", dispute, before)
    if status == "won":
        _move(work, dispute, "dispute_reversal", dispute["amount"], "funds_reinstated")
    elif status == "needs_response":
        _move(work, dispute, "dispute", -dispute["amount"], "funds_withdrawn")
    return dispute


def close(call: Call) -> Json:
    """POST /v1/disputes/{id}/close: the shop gives up, and the dispute is lost."""
    return decide(call.work, call.work.get("dispute", call.id), "lost")


def update(call: Call) -> Json:
    """POST /v1/disputes/{id}: metadata only."""
    for name in call.params:
        if name not in ("metadata", "expand"):
            raise not_simulated(name)
    dispute = call.work.get("dispute", call.id)
    before = {"metadata": dispute["metadata"]}
    dispute["metadata"] = merged_metadata(dispute["metadata"], call.params)
    call.work.emit("charge.dispute.updated", call.work.save(dispute), before)
    return dispute


def refuse_charged_back(work: Work, charge: Json) -> None:
    """Raise ApiError (400) if a charge was charged back: it cannot be refunded too."""
    if any(dispute["status"] in _CHARGED_BACK for dispute in _of(work, charge)):
        raise ApiError(
            f"Charge {charge['id']} has been charged back; cannot issue a refund.",
            code="charge_disputed",
        )


def asked(work: Work, values: Any) -> Json:
    """Open the dispute that a control asks for; raises ApiError (400) for one that cannot be."""
    values = values if isinstance(values, dict) else {}
    if not values.keys() <= {"charge", "payment_intent", "amount", "status"}:
        raise ApiError("A dispute takes charge or payment_intent, amount and status.")
    charge = _charge(work, values)
    amount = values.get("amount", charge["amount"])
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise ApiError("Invalid integer: amount", param="amount")
    if not 0 < amount <= charge["amount"]:
        raise ApiError(f"Invalid amount: from 1 to {charge['amount']}", param="amount")
    status = values.get("status", OPENINGS[0])
    if status not in OPENINGS:
        raise ApiError(f"Invalid status: must be one of {', '.join(OPENINGS)}", param="status")
    if any(dispute["status"] not in _CLOSED for dispute in _of(work, charge)):
        raise ApiError(f"Charge {charge['id']} has an open dispute.")
    return begin(work, charge, amount=amount, status=status)


def _charge(work: Work, values: Json) -> Json:
    identifier = values.get("charge")
    if "payment_intent" in values:
        intent = work.get("payment_intent", values["payment_intent"], param="payment_intent")
        identifier = intent["latest_charge"]
    charge = work.get("charge", identifier or "", param="charge")
    if charge["status"] != "succeeded":
        raise ApiError(f"Charge {charge['id']} is {charge['status']} and cannot be disputed.")
    return charge


def _of(work: Work, charge: Json) -> list[Json]:
    return work.children("dispute", charge["id"])


def _move(work: Work, dispute: Json, category: str, amount: int, told: str) -> None:
    charge = work.get("charge", dispute["charge"])
    entry = enter(work, category, amount=amount, source=dispute, charge=charge)
    dispute["balance_transactions"].append(entry)
    work.emit(f"charge.dispute.{told}", work.save(dispute))
