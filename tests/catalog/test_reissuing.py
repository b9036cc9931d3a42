"""After a revocation the same bytes get a new receipt, and the old one stays to be seen."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from touchstone.envelope import RevokedKeyError, verify_envelope
from touchstone.keys import parse_keys
from touchstone.statement import BENCHMARK_RECEIPT, Subject, parse_statement

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from catalog.reissuing import ReissuingRefused, reissue_receipt
from receipts.keys import create_key, keys_document
from receipts.models import Receipt
from receipts.signing import sign_receipt
from tests.catalog.reading import shown
from tests.shop import SAMPLE, make_keys, retire, revoke
from tests.threads import Rival

COMMAND = ("reissue_receipt", "kimi-k3-8xb300", "1.0.0")


def current() -> Receipt:
    receipt = PackageVersion.objects.get().benchmark_receipt
    assert receipt is not None
    return receipt


def revoked_and_signed_anew() -> tuple[Receipt, Receipt]:
    """The receipt whose key was revoked, and its successor."""
    old = current()
    revoke("benchmark")
    create_key(purpose="benchmark")
    call_command(*COMMAND)
    return old, current()


def silent(line: str) -> None:
    del line


def test_the_new_receipt_says_the_same_of_the_same_bytes(published: PackageVersion) -> None:
    old, new = revoked_and_signed_anew()
    was, now = parse_statement(old.payload), parse_statement(new.payload)
    assert now.subjects == was.subjects
    assert now.predicate == {**was.predicate, "replaces": {"sha256": old.payload_sha256}}
    keys = parse_keys(keys_document())
    assert verify_envelope(bytes(new.envelope), keys, purpose="benchmark").payload == new.payload
    with pytest.raises(RevokedKeyError):
        verify_envelope(bytes(old.envelope), keys)


def test_the_package_is_signed_again_everywhere(published: PackageVersion, client: Client) -> None:
    _, new = revoked_and_signed_anew()
    card = client.get("/packages/kimi-k3-8xb300/card.json").json()
    assert (card["signed"], card["key_id"]) == (True, new.key_id)
    page = client.get("/packages/kimi-k3-8xb300/")
    assert "Read and sign the licence" in page.text
    assert client.get("/packages/kimi-k3-8xb300/1.0.0/receipt.json").content == bytes(new.envelope)


def test_the_old_receipt_stays_revoked_with_reason_and_successor(
    published: PackageVersion, client: Client
) -> None:
    old, new = revoked_and_signed_anew()
    page = client.get(f"/receipts/{old.payload_sha256}/")
    text = shown(page)
    assert "the key that signed it was revoked (a laptop was stolen), compromised since" in text
    assert "Signed 2" not in text
    assert f'The same bytes have a new receipt: <a href="/receipts/{new.payload_sha256}/"' in (
        page.text
    )


@pytest.mark.parametrize("which", [0, 1])
def test_each_receipt_lists_all_of_the_same_bytes(
    published: PackageVersion, client: Client, which: int
) -> None:
    receipts = revoked_and_signed_anew()
    text = shown(client.get(f"/receipts/{receipts[which].payload_sha256}/"))
    history = text[text.index("Receipts of these bytes") :]
    this, other = receipts[which].payload_sha256, receipts[1 - which].payload_sha256
    assert f"{this} (this one)" in history
    assert other in history
    assert history.index(receipts[1].payload_sha256) < history.index(receipts[0].payload_sha256)
    assert history.count("key revoked (a laptop was stolen)") == 1


def test_a_revoked_receipt_without_successor_says_so(
    published: PackageVersion, client: Client
) -> None:
    revoke("benchmark")
    text = shown(client.get(f"/receipts/{current().payload_sha256}/"))
    assert "These bytes have no receipt that holds, and are not delivered." in text
    assert "Receipts of these bytes" not in text


def test_a_receipt_that_holds_is_not_replaced(published: PackageVersion) -> None:
    retire("benchmark")
    create_key(purpose="benchmark")
    with pytest.raises(CommandError, match="the key of its receipt is not revoked"):
        call_command(*COMMAND)


def lose_the_kit() -> None:
    kit = PackageVersion.objects.get().kit
    assert kit is not None
    storages["kits"].delete(kit.path)


def alter_the_kit() -> None:
    lose_the_kit()
    kit = PackageVersion.objects.get().kit
    assert kit is not None
    with storages["kits"].open(kit.path, "wb") as file:
        file.write(b"x" * kit.size)


def withdraw() -> None:
    PackageVersion.objects.update(
        state="withdrawn", withdrawn_at=current().issued_at, withdrawal_reason="wrong"
    )


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lose_the_kit, "is not in the storage"),
        (alter_the_kit, "the stored bytes have another digest"),
        (withdraw, "is withdrawn: it is signed no more"),
        (lambda: retire("benchmark"), "no active key for benchmark receipts"),
    ],
)
def test_what_cannot_be_signed_anew_stays_as_it_is(
    published: PackageVersion, happens: Any, reason: str
) -> None:
    revoke("benchmark")
    create_key(purpose="benchmark")
    happens()
    with pytest.raises(CommandError, match=reason):
        call_command(*COMMAND)
    assert Receipt.objects.count() == 1


def test_another_version_is_not_there(published: PackageVersion) -> None:
    with pytest.raises(CommandError, match=r"has no version 9\.9\.9"):
        call_command("reissue_receipt", "kimi-k3-8xb300", "9.9.9")


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_signs() -> None:
    make_keys()
    version = publish_version(folder=SAMPLE)[0]
    revoke("benchmark")
    create_key(purpose="benchmark")
    with transaction.atomic():
        reissue_receipt(version=version, report=silent)
        second = Rival(lambda: reissue_receipt(version=version, report=silent))
        assert second.is_waiting()
    assert [type(error) for error in second.finish()] == [ReissuingRefused]
    assert Receipt.objects.count() == 2


def point_to(receipt: Receipt) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE catalog_packageversion SET benchmark_receipt_id = %s", [receipt.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def receipt_of(sha256: str, kind: Receipt.Kind = Receipt.Kind.BENCHMARK) -> Receipt:
    return sign_receipt(
        kind=kind,
        subjects=[Subject("kit.tar.gz", sha256)],
        predicate_type=BENCHMARK_RECEIPT,
        predicate={},
    )


def test_postgres_keeps_a_receipt_whose_key_holds(published: PackageVersion) -> None:
    other = receipt_of(str(published.kit_id))
    retire("benchmark")
    with pytest.raises(IntegrityError, match="its key is not revoked: its receipt is final"):
        point_to(other)


def test_postgres_wants_a_receipt_by_a_key_that_holds(published: PackageVersion) -> None:
    other = receipt_of(str(published.kit_id))
    revoke("benchmark")
    with pytest.raises(IntegrityError, match="of the same kit, by a key that holds"):
        point_to(other)


@pytest.mark.parametrize("kind", list(Receipt.Kind))
def test_postgres_wants_a_benchmark_receipt_of_the_same_kit(
    published: PackageVersion, kind: Receipt.Kind
) -> None:
    revoke("benchmark")
    create_key(purpose="benchmark")
    sha256 = "1" * 64 if kind == Receipt.Kind.BENCHMARK else str(published.kit_id)
    with pytest.raises(IntegrityError, match="of the same kit, by a key that holds"):
        point_to(receipt_of(sha256, kind))


def test_postgres_lets_a_revoked_receipt_be_followed_by_one_that_holds(
    published: PackageVersion,
) -> None:
    revoke("benchmark")
    create_key(purpose="benchmark")
    receipt = receipt_of(str(published.kit_id))
    point_to(receipt)
    assert current() == receipt
    with pytest.raises(IntegrityError, match="its receipt is final"):
        point_to(Receipt.objects.order_by("pk")[0])
