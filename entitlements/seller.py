"""Who sells, and the bank account that takes transfers: from the settings."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True, kw_only=True)
class Seller:
    """The seller and its account, as they stand on a pro-forma invoice."""

    name: str
    address: str
    tax_number: str
    bank: str
    account: str
    code: str


def seller() -> Seller | None:
    """The seller; None where the store takes no bank transfers."""
    if not (settings.SELLER_NAME and settings.BANK_ACCOUNT):
        return None
    return Seller(
        name=settings.SELLER_NAME,
        address=settings.SELLER_ADDRESS,
        tax_number=settings.SELLER_TAX_NUMBER,
        bank=settings.BANK_NAME,
        account=settings.BANK_ACCOUNT,
        code=settings.BANK_CODE,
    )
