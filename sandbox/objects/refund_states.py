"""How refunds end: what the next ones do, and their later fate by control or by the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.errors import ApiError
from sandbox.objects.balance import enter

if TYPE_CHECKING:
    from sandbox.calls import Call
    from sandbox.shapes import Json
    from sandbox.work import Work

MODES = ("succeed", "pending", "pending_then_fail", "fail", "succeed_then_fail")
DELAY_SECONDS = 86_400
_LATER = {
    "pending": "refund.succeed",
    "pending_then_fail": "refund.fail",
    "succeed_then_fail": "refund.fail",
}
_FAILED = {"status": "failed", "failure_reason": "expired_or_canceled_card"}


def mode(work: Work) -> str:
    """Return what new refunds do."""
    return str(work.setting("refunds", "succeed"))


def first_state(work: Work) -> Json:
    """Return the fields with which a new refund begins."""
    wanted = mode(work)
    if wanted == "fail":
        return _FAILED
    pending = wanted.startswith("pending")
    return {"status": "pending", "pending_reason": "processing"} if pending else _DONE


def begin(work: Work, refund: Json, charge: Json) -> Json:
    """Count a new refund on its charge, tell of it, plan what becomes of it, and return it."""
    if refund["status"] != "failed":
        entry = enter(work, "refund", amount=-refund["amount"], source=refund, charge=charge)
        refund = work.save(refund | {"balance_transaction": entry["id"]})
    work.emit("refund.created", refund)
    if refund["status"] == "failed":
        work.emit("refund.failed", refund)
        return refund
    count(work, charge, refund["amount"])
    work.emit("charge.refunded", charge)
    work.emit("refund.updated", refund)
    later = _LATER.get(mode(work))
    if later:
        work.plan(later, refund, at=work.now + DELAY_SECONDS)
    return refund


def succeed(work: Work, refund_id: str) -> None:
    """Let a pending refund succeed."""
    refund = work.get("refund", refund_id)
    if refund["status"] == "pending":
        _change(work, refund, _DONE)


def fail(work: Work, refund_id: str) -> None:
    """Let a refund fail, be it pending or thought to have succeeded; its amount comes back."""
    refund = work.get("refund", refund_id)
    if refund["status"] not in ("pending", "succeeded"):
        return
    _give_back(work, refund)
    _change(work, refund, _FAILED | {"pending_reason": None})
    work.emit("refund.failed", refund)


def cancel(call: Call) -> Json:
    """POST /v1/refunds/{id}/cancel: one that is pending."""
    refund = call.work.get("refund", call.id)
    if refund["status"] != "pending":
        raise ApiError(f"A refund that is {refund['status']} cannot be canceled.")
    _give_back(call.work, refund)
    _change(call.work, refund, {"status": "canceled", "pending_reason": None})
    return refund


def decide(work: Work, refund_id: str, status: str) -> Json:
    """Let a refund succeed or fail now, as a control asks; raises ApiError (400) if it cannot."""
    refund = work.get("refund", refund_id)
    possible = {"succeeded": ("pending",), "failed": ("pending", "succeeded")}[status]
    if refund["status"] not in possible:
        raise ApiError(f"The refund is {refund['status']} and cannot become {status}.")
    (succeed if status == "succeeded" else fail)(work, refund_id)
    return work.get("refund", refund_id)


def count(work: Work, charge: Json, amount: int) -> None:
    """Add to what was refunded of a charge; a negative amount gives it back."""
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    work.save(charge)


def _give_back(work: Work, refund: Json) -> None:
    charge = work.get("charge", refund["charge"])
    before = {name: charge[name] for name in ("amount_refunded", "refunded")}
    count(work, charge, -refund["amount"])
    amount = refund["amount"]
    entry = enter(work, "refund_failure", amount=amount, source=refund, charge=charge)
    refund["failure_balance_transaction"] = entry["id"]
    work.emit("charge.updated", charge, before)


def _change(work: Work, refund: Json, fields: Json) -> None:
    before = {name: refund[name] for name in fields if refund[name] != fields[name]}
    refund |= fields
    work.forget_plans(refund)
    work.emit("refund.updated", work.save(refund), before)
    work.emit("charge.refund.updated", refund, before)


_DONE: Json = {"status": "succeeded", "pending_reason": None}
