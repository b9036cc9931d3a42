"""A receipt is its bytes, and stays: asked of Postgres in raw SQL."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from touchstone.statement import BENCHMARK_RECEIPT, Subject

from receipts.append_only import AppendOnlyError
from receipts.models import Receipt, SigningKey
from receipts.signing import sign_receipt

SUBJECT = "ab" * 32


@pytest.fixture
def receipt(keys: None) -> Receipt:
    """A benchmark receipt of nothing in particular."""
    return sign_receipt(
        kind=Receipt.Kind.BENCHMARK,
        subjects=[Subject("kit.tar.gz", SUBJECT)],
        predicate_type=BENCHMARK_RECEIPT,
        predicate={"kit": {"size": 1}},
    )


def insert(
    *, envelope: bytes, payload_sha256: str, subject_sha256: str, purpose: str = "benchmark"
) -> None:
    key = SigningKey.objects.get(purpose=purpose, status="active")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO receipts_receipt (kind, envelope, payload_sha256, subject_sha256, key_id,"
            " issued_at) VALUES ('benchmark', %s, %s, %s, %s, now())",
            [envelope, payload_sha256, subject_sha256, key.kid],
        )


def envelope_of(payload: bytes) -> bytes:
    return json.dumps({"payload": base64.b64encode(payload).decode()}).encode()


def row(**changed: Any) -> dict[str, Any]:
    payload = json.dumps({"subject": [{"digest": {"sha256": SUBJECT}}]}).encode()
    honest = {
        "envelope": envelope_of(payload),
        "payload_sha256": hashlib.sha256(payload).hexdigest(),
        "subject_sha256": SUBJECT,
    }
    return honest | changed


def test_a_row_that_says_what_its_bytes_say_is_stored(keys: None) -> None:
    insert(**row())
    assert Receipt.objects.get().subject_sha256 == SUBJECT


def test_a_key_of_another_purpose_signs_no_receipt(keys: None) -> None:
    with pytest.raises(IntegrityError, match="key_is_of_its_kind"):
        insert(**row(), purpose="buyer")


@pytest.mark.parametrize(
    ("column", "value", "wall"),
    [
        ("payload_sha256", "0" * 64, "payload_is_its_bytes"),
        ("subject_sha256", "0" * 64, "subject_is_its_bytes"),
        ("envelope", envelope_of(b'{"subject": []}'), "payload_is_its_bytes"),
    ],
)
def test_a_row_that_says_something_else_than_its_bytes_is_refused(
    keys: None, column: str, value: Any, wall: str
) -> None:
    with pytest.raises(IntegrityError, match=wall):
        insert(**row(**{column: value}))


@pytest.mark.parametrize(
    "envelope",
    [b"", b"[]", b"{}", b'{"payload": null}', b'{"payload": "***"}', b"\xff", b"not json"],
)
def test_an_envelope_without_a_payload_is_refused(keys: None, envelope: bytes) -> None:
    with pytest.raises(DatabaseError):
        insert(**row(envelope=envelope))
    assert not Receipt.objects.exists()


def test_a_payload_without_a_subject_is_refused(keys: None) -> None:
    payload = b'{"subject": []}'
    with pytest.raises(IntegrityError, match="subject"):
        insert(
            envelope=envelope_of(payload),
            payload_sha256=hashlib.sha256(payload).hexdigest(),
            subject_sha256="0" * 64,
        )


def test_the_same_statement_is_stored_once(receipt: Receipt) -> None:
    with pytest.raises(IntegrityError, match="payload_sha256"):
        insert(
            envelope=bytes(receipt.envelope),
            payload_sha256=receipt.payload_sha256,
            subject_sha256=SUBJECT,
        )


def test_the_model_itself_says_that_receipts_stay(receipt: Receipt) -> None:
    with pytest.raises(AppendOnlyError, match="add a new row instead"):
        receipt.save()
    with pytest.raises(AppendOnlyError, match="its rows stay"):
        receipt.delete()


def test_the_stored_bytes_are_those_that_were_signed(receipt: Receipt) -> None:
    stored = Receipt.objects.get()
    assert bytes(stored.envelope) == receipt.envelope
    assert hashlib.sha256(stored.payload).hexdigest() == stored.payload_sha256
    assert json.loads(bytes(stored.envelope))["payloadType"] == "application/vnd.in-toto+json"
