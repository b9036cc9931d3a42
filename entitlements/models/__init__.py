"""The tables of who paid and may download what."""

from entitlements.models.buying import Purchase
from entitlements.models.delivery import Download
from entitlements.models.desk import DeskAction, ProForma
from entitlements.models.ledger import HeldPayment, Payment
from entitlements.models.providers import ProviderCustomer, ProviderPrice, Subscription
from entitlements.models.queues import Outbox, ProviderEvent
from entitlements.models.reversals import Dispute, Refund
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
    "DeskAction",
    "Dispute",
    "Download",
    "Entitlement",
    "HeldPayment",
    "Hold",
    "MaintenancePeriod",
    "Outbox",
    "Payment",
    "ProForma",
    "ProviderCustomer",
    "ProviderEvent",
    "ProviderPrice",
    "Purchase",
    "Refund",
    "Subscription",
]
