"""What must hold of the rows at any moment, and once everything has come to rest."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db import connection
from django.db.models import Q, Sum

from entitlements.doors import closed_because
from entitlements.entering import kept_minor
from entitlements.models import (
    BuyerReceipt,
    Dispute,
    Entitlement,
    Hold,
    MaintenancePeriod,
    Outbox,
    Payment,
    ProviderEvent,
    Purchase,
    Refund,
)
from receipts.models import Receipt
from tests.provider import Provider

KINDS = {
    "charge": "charge",
    "refund": "refund",
    "refund_failure": "refund_failed",
    "dispute": "dispute",
    "dispute_reversal": "dispute_won",
}


def assert_promises() -> None:
    """Promises 1 and 2 and what follows from them, of every purchase, as the rows are now."""
    for purchase in Purchase.objects.all():
        brought = Entitlement.objects.filter(purchase=purchase)
        charges = Payment.objects.filter(purchase=purchase, kind="charge")
        assert (purchase.state == "paid") == brought.exists() == charges.exists(), purchase
    for granted in Entitlement.objects.select_related("purchase", "payment"):
        assert granted.signature_id == granted.purchase.signature_id
        assert granted.payment.amount_minor >= granted.purchase.total_minor
        first = granted.maintenance_periods.filter(payment=granted.payment)
        assert (first.count(), granted.buyer_receipts.count()) == (1, 1)
    idle = Payment.objects.filter(kind="charge", maintenanceperiod=None, refunds=None)
    assert not idle.exists(), "a charge that bought nothing and does not go back"
    lone = Receipt.objects.filter(kind="buyer", buyerreceipt=None)
    assert not lone.exists(), "a buyer receipt of nothing"
    assert_holds_follow_money()


def assert_holds_follow_money() -> None:
    """An entitlement is on hold for a refund or a dispute exactly while its money says so."""
    for granted in Entitlement.objects.select_related("payment", "version"):
        refunded = granted.payment.moves.filter(kind__in=["refund", "refund_failed"])
        left = granted.payment.amount_minor + (refunded.aggregate(s=Sum("amount_minor"))["s"] or 0)
        lost = Q(state="lost", charge=granted.payment)
        disputed = Dispute.objects.filter(charge__purchase=granted.purchase_id)
        wanted = {"refund"} if left <= 0 else set()
        wanted |= {"dispute"} if disputed.filter(Q(state="open") | lost).exists() else set()
        held = list(granted.holds.filter(released_at=None).values_list("reason", flat=True))
        assert sorted(held) == sorted(wanted)
        assert bool(closed_because(entitlement=granted, version=granted.version)) == bool(wanted)


def assert_ledger_is_the_providers(provider: Provider) -> None:
    """The ledger has what the provider's balance has: kinds, amounts, references, nothing more."""
    listed = provider.client.v1.balance_transactions.list({"limit": 100}).data
    theirs = Counter((KINDS[each.reporting_category], each.amount) for each in listed)
    assert Counter(Payment.objects.values_list("kind", "amount_minor")) == theirs
    paid = {each.id for each in provider.client.v1.invoices.list({"status": "paid"}).data}
    assert set(Payment.objects.filter(kind="charge").values_list("reference", flat=True)) == paid
    refunds = {each.id: each.status for each in provider.refunds()}
    assert dict(Refund.objects.values_list("reference", "state")) == refunds


def assert_what_is_kept_is_the_providers(provider: Provider) -> None:
    """Of each charge as much stays with us as the provider says, and each reversal stands as there.

    Which of a refund's words was lost on the way makes no difference to this.
    """
    client = provider.client.v1
    refunds, disputes = provider.refunds(), client.disputes.list({"limit": 100}).data
    gone: Counter[Any] = Counter()
    for refund in refunds:
        gone[refund.charge] += refund.amount if refund.status == "succeeded" else 0
    for dispute in disputes:
        gone[dispute.charge] += dispute.amount if dispute.status != "won" else 0
    charges = client.charges.list({"limit": 100}).data
    theirs = Counter(each.amount - gone[each.id] for each in charges if each.paid)
    ours = Counter(kept_minor(each) for each in Payment.objects.filter(kind="charge"))
    assert ours == theirs
    sent = Refund.objects.exclude(reference="")
    told = {each.id: each.status for each in refunds}
    assert dict(sent.values_list("reference", "state")) == told
    decided = {
        each.id: "open" if each.status == "needs_response" else each.status for each in disputes
    }
    assert dict(Dispute.objects.values_list("reference", "state")) == decided


def assert_nobody_waits() -> None:
    """No work is left, and no connection sits in a transaction or waits for a lock."""
    assert not Outbox.objects.filter(done_at=None).exists()
    assert not ProviderEvent.objects.filter(outcome__in=["waiting", "held"]).exists()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND (state LIKE 'idle in%' OR wait_event_type = 'Lock')"
        )
        assert cursor.fetchone() == (0,)


def outcome() -> dict[str, Any]:
    """What there is of everything, but for numbers and times that differ from run to run."""
    return {
        "payments": _rows(Payment, "kind", "amount_minor", "tax_minor", "currency"),
        "entitlements": _rows(Entitlement, "purchase__state", "payment__amount_minor"),
        "periods": _rows(MaintenancePeriod, "payment__amount_minor"),
        "receipts": _rows(BuyerReceipt, "version__version"),
        "refunds": _rows(Refund, "amount_minor", "state"),
        "disputes": _rows(Dispute, "reference", "amount_minor", "state"),
        "holds": sorted((each.reason, each.released_at is None) for each in Hold.objects.all()),
        "work": _rows(Outbox, "kind"),
    }


def _rows(model: Any, *fields: str) -> list[Any]:
    return sorted(model.objects.values_list(*fields))
