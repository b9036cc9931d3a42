"""Why something at the desk cannot be done now, and what can be done instead."""

from __future__ import annotations

from entitlements.models import Dispute, Hold
from entitlements.refunds import refunded_minor

Reason = Hold.Reason


def why_not_releasable(hold: Hold) -> str:
    """Why a hold must stay, with the way out; "" when it may be released.

    For people: Postgres decides (entitlements/migrations/0008_what_money_holds.py).
    """
    granted = hold.entitlement
    paid = granted.payment
    if hold.reason == Reason.REFUND and refunded_minor(paid) >= paid.amount_minor:
        return (
            "The money is gone: the payment was refunded in full. If the refund comes back from "
            "the bank, enter that and access opens by itself; else the buyer signs and buys again."
        )
    if hold.reason != Reason.DISPUTE:
        return ""
    disputes = Dispute.objects.filter(charge__purchase=granted.purchase_id)
    if (open_ := disputes.filter(state=Dispute.State.OPEN).first()) is not None:
        return (
            f"The money is gone: dispute {open_.reference} is open. Answer it at the provider; "
            "when it is won, access opens by itself."
        )
    if (lost := disputes.filter(state=Dispute.State.LOST, charge=paid).first()) is not None:
        return (
            f"The money is gone: dispute {lost.reference} was lost. The buyer signs and buys again."
        )
    return ""
