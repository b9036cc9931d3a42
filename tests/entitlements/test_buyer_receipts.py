"""Buyer receipts: one that holds, for each version that is open, and rows that stay."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from touchstone.statement import BUYER_RECEIPT, Subject, parse_statement

from entitlements.buyer_receipts import current_receipt, ensure_buyer_receipt
from entitlements.models import BuyerReceipt, Hold, Outbox, Purchase
from entitlements.outbox import run_due
from receipts.keys import active_key, create_key
from receipts.models import Receipt
from receipts.signing import sign_receipt
from tests.shop import retire, revoke
from tests.threads import Rival


def names(row: BuyerReceipt) -> Any:
    """The benchmark receipt that a buyer receipt names."""
    return parse_statement(row.receipt.payload).predicate["benchmark_receipt"]


def sign_anew() -> None:
    create_key(purpose="benchmark")
    call_command("reissue_receipt", "kimi-k3-8xb300", "1.0.0")


def test_a_version_signed_anew_brings_its_buyers_a_receipt_that_names_it(bought: Purchase) -> None:
    first = BuyerReceipt.objects.get()
    revoke("benchmark")
    sign_anew()
    run_due()
    bought.version.refresh_from_db()
    newest, oldest = BuyerReceipt.objects.all()
    assert oldest == first
    assert newest.benchmark_receipt == bought.version.benchmark_receipt != first.benchmark_receipt
    assert names(newest) == {"sha256": newest.benchmark_receipt.payload_sha256}
    told = [parse_statement(each.receipt.payload).predicate["revealed"] for each in (newest, first)]
    assert told[0] == told[1]


def test_a_new_buyer_key_signs_anew_what_the_revoked_one_signed(bought: Purchase) -> None:
    revoke("buyer")
    assert current_receipt(entitlement=bought.entitlement, version=bought.version) is None
    key = create_key(purpose="buyer")
    run_due()
    newest = current_receipt(entitlement=bought.entitlement, version=bought.version)
    assert newest is not None
    assert newest.receipt.key == key
    former = {"sha256": BuyerReceipt.objects.last().receipt.payload_sha256}  # type: ignore[union-attr]  # two rows
    assert parse_statement(newest.receipt.payload).predicate["replaces"] == former


def test_a_rotated_buyer_key_signs_nothing_anew(bought: Purchase) -> None:
    retire("buyer")
    create_key(purpose="buyer")
    run_due()
    assert BuyerReceipt.objects.count() == 1


def test_the_work_done_twice_makes_one_receipt(bought: Purchase) -> None:
    revoke("buyer")
    create_key(purpose="buyer")
    run_due()
    for row in Outbox.objects.filter(kind__startswith="buyer_receipt"):
        Outbox.objects.create(kind=row.kind, payload=row.payload)
    run_due()
    assert not Outbox.objects.filter(done_at__isnull=True).exists()
    assert BuyerReceipt.objects.count() == 2


def test_without_a_key_the_work_waits_for_one(bought: Purchase) -> None:
    revoke("benchmark")
    retire("buyer")
    sign_anew()
    run_due()
    waiting = Outbox.objects.get(kind="buyer_receipt")
    assert (waiting.done_at, waiting.attempts) == (None, 1)
    assert "DoesNotExist" in waiting.last_error
    create_key(purpose="buyer")
    run_due()
    assert BuyerReceipt.objects.count() == 2


def test_who_was_refunded_gets_none_until_the_hold_is_released(bought: Purchase) -> None:
    hold = Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.DISPUTE)
    revoke("buyer")
    create_key(purpose="buyer")
    run_due()
    assert BuyerReceipt.objects.count() == 1
    hold.released_at = timezone.now()
    hold.save()
    run_due()
    assert BuyerReceipt.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_workers_with_the_same_work_sign_one(bought: Purchase) -> None:
    revoke("buyer")
    create_key(purpose="buyer")

    def ensure() -> BuyerReceipt:
        return ensure_buyer_receipt(entitlement=bought.entitlement, version=bought.version)

    with transaction.atomic():
        ensure()
        second = Rival(ensure)
        assert second.is_waiting()
    assert second.finish() == []
    assert BuyerReceipt.objects.count() == 2
    assert Receipt.objects.filter(kind="buyer").count() == 2


INSERT = (
    "INSERT INTO entitlements_buyerreceipt (entitlement_id, version_id, benchmark_receipt_id,"
    " receipt_id) SELECT entitlement_id, version_id, {}, %s FROM entitlements_buyerreceipt"
)


def insert(receipt: Receipt, benchmark: str = "benchmark_receipt_id") -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(INSERT.format(benchmark), [receipt.pk])


def another(sha256: str, kind: Receipt.Kind = Receipt.Kind.BUYER, *, number: int = 1) -> Receipt:
    return sign_receipt(
        kind=kind,
        subjects=[Subject("kit.tar.gz", sha256)],
        predicate_type=BUYER_RECEIPT,
        predicate={"by": active_key(kind).kid, "number": number},
    )


def test_postgres_lets_one_hold_at_a_time(bought: Purchase) -> None:
    sha256 = str(bought.version.kit_id)
    with pytest.raises(IntegrityError, match="has a buyer receipt that holds"):
        insert(another(sha256))
    revoke("buyer")
    create_key(purpose="buyer")
    insert(another(sha256))
    assert BuyerReceipt.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_postgres_lets_one_hold_also_of_two_at_once(bought: Purchase) -> None:
    revoke("buyer")
    create_key(purpose="buyer")
    first, second = (another(str(bought.version.kit_id), number=number) for number in (1, 2))
    with transaction.atomic():
        insert(first)
        rival = Rival(lambda: insert(second))
        assert rival.is_waiting()
    [error] = rival.finish()
    assert "has a buyer receipt that holds" in str(error)


def test_postgres_wants_a_buyer_receipt_of_the_versions_kit(bought: Purchase) -> None:
    revoke("buyer")
    create_key(purpose="buyer")
    of_the_kit = another(str(bought.version.kit_id))
    wrong = [
        (another("1" * 64), "benchmark_receipt_id"),
        (another(str(bought.version.kit_id), Receipt.Kind.BENCHMARK), "benchmark_receipt_id"),
        (of_the_kit, "receipt_id"),
    ]
    for receipt, benchmark in wrong:
        with pytest.raises(IntegrityError, match="is of the kit of its version"):
            insert(receipt, benchmark)
    insert(of_the_kit)
