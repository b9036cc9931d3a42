"""What providers say of money, as arguments of the doors."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from entitlements.models import Payment


def dispute_of(charge: Payment, *, state: str = "open", later: int = 0) -> dict[str, Any]:
    """A dispute of a charge as the provider tells it, `later` seconds after it was opened."""
    opened = charge.received_at + timedelta(days=3)
    return {
        "charge": charge,
        "provider": "stripe",
        "reference": f"dp_{charge.pk.hex}",
        "amount_minor": charge.amount_minor,
        "state": state,
        "reason": "product_not_received",
        "opened_at": opened,
        "as_of": opened + timedelta(seconds=later),
        "recorded_by": "test",
    }
