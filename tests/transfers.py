"""Bank transfers as finance records them, for tests."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from entitlements.models import HeldPayment, Payment, Purchase
from entitlements.transfers import asked_of, record_transfer
from licensing.models import User
from tests.people import make_user


@pytest.fixture
def clerk(db: None) -> User:
    """Who records transfers."""
    return make_user("fay@store.example", name="Fay Finance", staff=True)


@pytest.fixture
def bank_account(settings: Any) -> None:
    """The store takes bank transfers."""
    settings.SELLER_NAME, settings.SELLER_TAX_NUMBER = "Seller Ltd", "GB999999973"
    settings.SELLER_ADDRESS = "1 Example Street, London"
    settings.BANK_NAME, settings.BANK_CODE = "Example Bank", "BUKBGB22"
    settings.BANK_ACCOUNT = "GB33 BUKB 2020 1555 5555 55"


def transfer_of(purchase: Purchase, by: User, /, **changed: Any) -> dict[str, Any]:
    """The exact transfer that a purchase asks for now."""
    return {
        "purchase": purchase,
        "amount_minor": asked_of(purchase),
        "currency": purchase.currency,
        "received_on": timezone.now().date(),
        "reference": "BANK-1",
        "recorded_by": f"desk: {by.email}",
        "actor": by,
        "why": "on the statement",
    } | changed


def short(purchase: Purchase, by: User, *, reference: str, amount: int) -> HeldPayment:
    """A transfer that is too little and is held."""
    row = record_transfer(**transfer_of(purchase, by, reference=reference, amount_minor=amount))
    assert isinstance(row, HeldPayment)
    return row


def nothing_opened(purchase: Purchase) -> bool:
    """Whether a purchase still waits, with no row in the ledger."""
    purchase.refresh_from_db()
    return (
        purchase.state == Purchase.State.PENDING
        and not Payment.objects.filter(purchase=purchase).exists()
    )
