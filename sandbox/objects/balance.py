"""The account's balance: one entry for all money that came or went, so that ledgers compare.

There are no fees, and every entry is available at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe

from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

# reporting category: the type of the entry for a card, and for any other payment method
_TYPES = {
    "charge": ("charge", "payment"),
    "refund": ("refund", "payment_refund"),
    "refund_failure": ("refund_failure", "payment_failure_refund"),
    "dispute": ("adjustment", "adjustment"),
    "dispute_reversal": ("adjustment", "adjustment"),
}


def enter(work: Work, category: str, *, amount: int, source: Json, charge: Json) -> Json:
    """Store an entry for `source`, which is about a charge; what went has a negative amount."""
    by_card = charge["payment_method_details"]["type"] == "card"
    values = {
        "amount": amount,
        "available_on": work.now,
        "balance_type": "payments",
        "currency": charge["currency"],
        "description": charge["description"],
        "net": amount,
        "reporting_category": category,
        "source": source["id"],
        "status": "available",
        "type": _TYPES[category][0 if by_card else 1],
    }
    return work.add(new(stripe.BalanceTransaction, work.now, values), parent=source["id"])
