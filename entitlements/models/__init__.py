"""The tables of who paid and may download what."""

from entitlements.models.buying import Purchase
from entitlements.models.delivery import Download
from entitlements.models.ledger import Payment
from entitlements.models.queues import Outbox, ProviderEvent
from entitlements.models.rights import (
    AdditionalSignature,
    BuyerReceipt,
    Entitlement,
    Hold,
    MaintenancePeriod,
)

__all__ = [
    "AdditionalSignature",
    "BuyerReceipt",
    "Download",
    "Entitlement",
    "Hold",
    "MaintenancePeriod",
    "Outbox",
    "Payment",
    "ProviderEvent",
    "Purchase",
]
