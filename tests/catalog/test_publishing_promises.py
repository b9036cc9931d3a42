"""What is sealed stays as it was signed: asked of Postgres in raw SQL."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from touchstone.statement import BENCHMARK_RECEIPT, BUYER_RECEIPT, Subject

from catalog.models import Kit, PackageVersion
from receipts.models import Receipt
from receipts.signing import sign_receipt

UPDATE = "UPDATE catalog_packageversion SET {}"
UPDATE_ONE = UPDATE + " WHERE id = %s"
UPDATE_KIT = "UPDATE catalog_kit SET {}"
DELETE_ONE = "DELETE FROM catalog_packageversion WHERE id = %s"


def run(sql: str, *params: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.fixture
def draft(published: PackageVersion) -> PackageVersion:
    """A version that was never sealed."""
    return PackageVersion.objects.create(
        package=published.package, version="2.0.0", data=published.data, content_sha256="0" * 64
    )


def another_kit() -> Kit:
    return Kit.objects.create(
        sha256="1" * 64,
        size=1,
        path="x",
        sums_sha256="2" * 64,
        weights_sha256="3" * 64,
        files=[],
    )


@pytest.mark.parametrize(
    "change",
    [
        "data = jsonb_set(data, '{price,one_time}', '1')",
        "story = 'another'",
        "version = '9.9.9'",
        "content_sha256 = repeat('0', 64)",
        "kit_id = NULL",
        "package_id = package_id + 1",
    ],
)
@pytest.mark.parametrize("state", ["published", "withdrawn"])
def test_the_content_of_a_sealed_version_is_final(
    published: PackageVersion, change: str, state: str
) -> None:
    if state == "withdrawn":
        withdraw()
    with pytest.raises(IntegrityError, match=f"1.0.0 is {state}: its content is final"):
        run(UPDATE.format(change))


def withdraw() -> None:
    run(UPDATE.format("state = 'withdrawn', withdrawn_at = now(), withdrawal_reason = 'x'"))


def test_a_sealed_version_is_not_deleted(published: PackageVersion) -> None:
    with pytest.raises(IntegrityError, match="is published: it stays"):
        run(DELETE_ONE, published.pk)


def test_a_draft_may_change_and_go(draft: PackageVersion) -> None:
    run(UPDATE_ONE.format("story = 'new', version = '2.0.1'"), draft.pk)
    draft.refresh_from_db()
    assert (draft.story, draft.version) == ("new", "2.0.1")
    run(DELETE_ONE, draft.pk)
    assert not PackageVersion.objects.filter(pk=draft.pk).exists()


@pytest.mark.parametrize("state", ["draft", "sealed"])
def test_a_published_version_does_not_go_back(published: PackageVersion, state: str) -> None:
    with pytest.raises(IntegrityError, match=f"cannot go from published to {state}"):
        run(UPDATE.format("state = %s"), state)


def test_a_withdrawn_version_is_not_sold_again(published: PackageVersion) -> None:
    withdraw()
    with pytest.raises(IntegrityError, match="cannot go from withdrawn to published"):
        run(UPDATE.format("state = 'published'"))


def test_the_day_of_publishing_is_final(published: PackageVersion) -> None:
    with pytest.raises(IntegrityError, match="its date is final"):
        run(UPDATE.format("published_at = now() - interval '1 year'"))


@pytest.mark.parametrize("reason", ["withdrawal_reason = ''", "withdrawn_at = NULL"])
def test_a_withdrawal_says_when_and_why(published: PackageVersion, reason: str) -> None:
    rest = {"withdrawn_at": "now()", "withdrawal_reason": "'x'"}
    del rest[reason.split()[0]]
    ((column, value),) = rest.items()
    with pytest.raises(IntegrityError, match="withdrawn_version_says_why"):
        run(UPDATE.format(f"state = 'withdrawn', {reason}, {column} = {value}"))


def test_no_version_is_sealed_without_kit_and_receipt(draft: PackageVersion) -> None:
    with pytest.raises(IntegrityError, match="sealed_version_has_kit_and_receipt"):
        run(UPDATE_ONE.format("state = 'sealed'"), draft.pk)


def seal(draft: PackageVersion, *, kit: str, receipt: int | None, kind: str = "benchmark") -> None:
    columns = "state = 'sealed', kit_id = %s, benchmark_receipt_id = %s, receipt_kind = %s"
    run(UPDATE_ONE.format(columns), kit, receipt, kind, draft.pk)


def test_a_receipt_of_another_kit_cannot_be_bound(
    draft: PackageVersion, published: PackageVersion
) -> None:
    with pytest.raises(IntegrityError, match="receipt_is_of_its_kit"):
        seal(draft, kit=another_kit().pk, receipt=published.benchmark_receipt_id)


def receipt_of(kit: Kit, kind: Receipt.Kind) -> Receipt:
    return sign_receipt(
        kind=kind,
        subjects=[Subject("kit.tar.gz", kit.sha256)],
        predicate_type=BENCHMARK_RECEIPT if kind == Receipt.Kind.BENCHMARK else BUYER_RECEIPT,
        predicate={},
    )


@pytest.mark.parametrize("kind", ["buyer", "benchmark"])
def test_a_buyer_receipt_of_the_same_kit_cannot_stand_in(draft: PackageVersion, kind: str) -> None:
    kit = another_kit()
    receipt = receipt_of(kit, Receipt.Kind.BUYER)
    with pytest.raises(IntegrityError, match=r"receipt_is_of_its_kit|receipt_is_benchmark"):
        seal(draft, kit=kit.pk, receipt=receipt.pk, kind=kind)


def test_a_receipt_of_this_very_kit_can_be_bound(draft: PackageVersion) -> None:
    kit = another_kit()
    receipt = receipt_of(kit, Receipt.Kind.BENCHMARK)
    seal(draft, kit=kit.pk, receipt=receipt.pk)
    draft.refresh_from_db()
    assert draft.state == "sealed"


@pytest.mark.parametrize(
    "change", ["benchmark_receipt_id = NULL", "benchmark_receipt_id = -1", "receipt_kind = 'buyer'"]
)
def test_a_version_on_sale_keeps_a_receipt_of_its_kit(
    published: PackageVersion, change: str
) -> None:
    with pytest.raises(IntegrityError):
        run(UPDATE.format(change))


@pytest.mark.parametrize("column", ["size = 1", "path = 'x'", "files = '[]'", "sums_sha256 = 'x'"])
def test_a_kit_does_not_change(published: PackageVersion, column: str) -> None:
    with pytest.raises(IntegrityError, match="a kit is its bytes"):
        run(UPDATE_KIT.format(column))


def test_a_kit_of_a_version_is_not_deleted(published: PackageVersion) -> None:
    with pytest.raises(IntegrityError):
        run("DELETE FROM catalog_kit")
