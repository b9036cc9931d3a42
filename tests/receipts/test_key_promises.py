"""A key's life goes one way, and only an active key signs: asked of Postgres in raw SQL."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from touchstone.statement import BENCHMARK_RECEIPT, Subject

from receipts.append_only import AppendOnlyError
from receipts.keys import active_key
from receipts.models import Receipt, SigningKey
from receipts.signing import sign_receipt
from tests.shop import make_keys, retire, revoke
from tests.threads import Rival

RETIRE = "status = 'retired', not_after = now()"
UPDATE = "UPDATE receipts_signingkey SET {} WHERE purpose = 'benchmark'"
REVOKE = "status = 'revoked', compromised_since = now(), revocation_reason = 'lost'"


def sign(sha256: str = "ab" * 32) -> Receipt:
    return sign_receipt(
        kind=Receipt.Kind.BENCHMARK,
        subjects=[Subject("kit.tar.gz", sha256)],
        predicate_type=BENCHMARK_RECEIPT,
        predicate={},
    )


def change(columns: str) -> None:
    run(UPDATE.format(columns))


def run(sql: str, *params: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)


def test_a_key_goes_from_active_to_retired_to_revoked(keys: None) -> None:
    change(RETIRE)
    change(REVOKE)
    key = SigningKey.objects.get(purpose="benchmark")
    assert (key.status, key.revocation_reason) == ("revoked", "lost")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (RETIRE, "status = 'active', not_after = NULL"),
        (RETIRE, "status = 'retired'"),
        (RETIRE, f"{REVOKE}, not_after = now() + interval '1 day'"),
        (REVOKE, "status = 'retired', compromised_since = NULL, revocation_reason = ''"),
        (REVOKE, "status = 'active', compromised_since = NULL, revocation_reason = ''"),
        (REVOKE, "revocation_reason = 'found again'"),
        (REVOKE, "compromised_since = now() + interval '1 year'"),
    ],
)
def test_no_step_is_taken_back_or_told_anew(keys: None, first: str, then: str) -> None:
    change(first)
    with pytest.raises(IntegrityError, match=r"cannot go from|its end is final"):
        change(then)


@pytest.mark.parametrize(
    ("columns", "wall"),
    [
        ("status = 'retired'", "retired_key_says_when"),
        ("status = 'revoked'", "says_since_when_and_why"),
        ("status = 'revoked', compromised_since = now()", "says_since_when_and_why"),
        (REVOKE.replace("'lost'", "' '"), "says_since_when_and_why"),
        ("status = 'revoked', revocation_reason = 'lost'", "says_since_when_and_why"),
        (f"{RETIRE}, revocation_reason = 'old'", "says_since_when_and_why"),
        ("status = 'lost'", "cannot go from active to lost"),
        ("purpose = 'licence'", "what it is does not change"),
        ("kid = 'other'", "what it is does not change"),
        ("public_key = sha256('x')", "what it is does not change"),
        ("not_before = now() - interval '1 year'", "what it is does not change"),
    ],
)
def test_a_key_does_not_change_otherwise(keys: None, columns: str, wall: str) -> None:
    with pytest.raises(IntegrityError, match=wall):
        change(columns)


@pytest.mark.parametrize("verb", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_a_key_stays(keys: None, verb: str) -> None:
    with pytest.raises(DatabaseError, match="permission denied"):
        run(verb.format("receipts_signingkey"))
    with pytest.raises(AppendOnlyError, match="its rows stay"):
        active_key("buyer").delete()


INSERT = (
    "INSERT INTO receipts_signingkey (kid, purpose, public_key, status, not_before, not_after,"
    " revocation_reason) VALUES (%s, 'buyer', decode(%s, 'hex'), %s, now(), {}, '')"
)
# The key of RFC 8037, appendix A, and its thumbprint there.
RFC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
RFC_KID = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.mark.parametrize(
    ("kid", "status", "end", "wall"),
    [
        ("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4l", "active", "NULL", "its_thumbprint"),
        (RFC_KID, "retired", "now()", "a life begins active"),
        (RFC_KID, "active", "now()", "a life begins active"),
    ],
)
def test_a_key_begins_active_and_is_named_by_its_bytes(
    db: None, kid: str, status: str, end: str, wall: str
) -> None:
    with pytest.raises(IntegrityError, match=wall):
        run(INSERT.format(end), kid, RFC_KEY, status)
    run(INSERT.format("NULL"), RFC_KID, RFC_KEY, "active")


def test_a_purpose_has_one_active_key(keys: None) -> None:
    with pytest.raises(IntegrityError, match="one_active_key_per_purpose"):
        run(INSERT.format("NULL"), RFC_KID, RFC_KEY, "active")


@pytest.mark.parametrize("end", [retire, revoke])
def test_a_key_whose_time_is_over_signs_nothing_new(keys: None, end: Any) -> None:
    kid = sign().key_id
    end("benchmark")
    with pytest.raises(IntegrityError, match=f"key {kid} is not active"):
        run(
            "INSERT INTO receipts_receipt (kind, envelope, payload_sha256, subject_sha256, key_id,"
            " issued_at) SELECT kind, envelope, payload_sha256, subject_sha256, key_id, now()"
            " FROM receipts_receipt"
        )


@pytest.mark.django_db(transaction=True)
def test_revoking_waits_for_who_is_signing() -> None:
    make_keys()
    with transaction.atomic():
        sign()
        rival = Rival(lambda: change(REVOKE))
        assert rival.is_waiting()
    assert rival.finish() == []
    assert SigningKey.objects.get(purpose="benchmark").status == "revoked"


@pytest.mark.django_db(transaction=True)
def test_a_signer_that_found_the_key_before_its_revocation_signs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_keys()

    def found_then_revoked(purpose: str) -> SigningKey:
        key = active_key(purpose)
        assert Rival(lambda: revoke(purpose)).finish() == []
        return key

    monkeypatch.setattr("receipts.signing.active_key", found_then_revoked)
    with pytest.raises(IntegrityError, match="is not active"):
        sign()
    assert not Receipt.objects.exists()
