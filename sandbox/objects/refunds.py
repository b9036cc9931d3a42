"""Refunds, full and partial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.calls import Call, echoed, merged_metadata
from sandbox.errors import ApiError, exclusive, missing
from sandbox.objects import refund_states
from sandbox.objects.disputes import refuse_charged_back
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

_HANDLED = ("amount", "charge", "payment_intent")
_NOT_SIMULATED = ("currency", "customer", "instructions_email")


def create(call: Call) -> Json:
    """POST /v1/refunds: of a charge or a payment intent, whole or in part.

    What becomes of it is set by a control: see `refund_states`.
    """
    work, params = call.work, call.params
    fields = echoed(stripe.Refund, params, handled=_HANDLED, refused=_NOT_SIMULATED)
    charge = _charge(work, params)
    if charge["status"] != "succeeded":
        raise ApiError(f"Charge {charge['id']} is {charge['status']} and cannot be refunded.")
    refuse_charged_back(work, charge)
    amount = _amount(charge, params)
    fields |= {
        "amount": amount,
        "charge": charge["id"],
        "currency": charge["currency"],
        "customer": charge["customer"],
        "destination_details": {"type": "card", "card": {"type": "refund"}},
        "metadata": merged_metadata({}, params),
        "payment_intent": charge["payment_intent"],
        "payment_method": charge["payment_method"],
        **refund_states.first_state(work),
    }
    refund = work.add(new(stripe.Refund, work.now, fields), parent=charge["id"])
    return refund_states.begin(work, refund, charge)


def update(call: Call) -> Json:
    """POST /v1/refunds/{id}: metadata only."""
    refund = call.work.get("refund", call.id)
    before = refund["metadata"]
    refund["metadata"] = merged_metadata(before, call.params)
    call.work.emit("refund.updated", call.work.save(refund), {"metadata": before})
    return refund


def _charge(work: Work, params: Json) -> Json:
    if "charge" in params and "payment_intent" in params:
        raise exclusive("charge", "payment_intent")
    if "charge" in params:
        return work.get("charge", params["charge"], param="charge")
    if "payment_intent" not in params:
        raise missing("payment_intent")
    intent = work.get("payment_intent", params["payment_intent"], param="payment_intent")
    if intent["latest_charge"] is None:
        raise ApiError(f"This PaymentIntent ({intent['id']}) does not have a successful charge.")
    return work.get("charge", intent["latest_charge"])


def _amount(charge: Json, params: Json) -> int:
    left = charge["amount"] - charge["amount_refunded"]
    if left == 0:
        raise ApiError(
            f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded"
        )
    amount = int(params.get("amount", left))
    if amount < 1:
        raise ApiError("Invalid positive integer", code="parameter_invalid_integer", param="amount")
    if amount > left:
        raise ApiError(
            f"Refund amount ({amount}) is greater than unrefunded amount on charge ({left})",
            param="amount",
        )
    return amount
