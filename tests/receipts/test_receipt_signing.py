"""What is signed can be checked by a stranger with openssl, and with no code of ours."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path

import pytest
from django.test import Client
from touchstone.envelope import SignatureError, verify_envelope
from touchstone.keys import parse_keys
from touchstone.statement import BENCHMARK_RECEIPT, StatementError, Subject

from receipts.keys import create_key, keys_document
from receipts.models import Receipt, SigningKey
from receipts.private_keys import PrivateKeyError, key_path
from receipts.signing import sign_receipt
from tests.shop import retire


def sign(kind: Receipt.Kind = Receipt.Kind.BENCHMARK, sha256: str = "ab" * 32) -> Receipt:
    return sign_receipt(
        kind=kind,
        subjects=[Subject("kit.tar.gz", sha256)],
        predicate_type=BENCHMARK_RECEIPT,
        predicate={"kit": {"size": 1}, "figure": 114549.13},
    )


def openssl_accepts(folder: Path, *, pem: str, payload: bytes, kind: str, signature: bytes) -> bool:
    """The check as the formats document gives it: PAE, then `openssl pkeyutl`."""
    pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    for name, content in {"pae": pae, "sig": signature, "pub.pem": pem.encode()}.items():
        (folder / name).write_bytes(content)
    command = "openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in pae -sigfile sig"
    done = subprocess.run(command.split(), cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("flipped", [False, True])
def test_openssl_accepts_the_receipt_and_no_other_payload(
    keys: None, client: Client, tmp_path: Path, flipped: bool
) -> None:
    receipt = sign()
    envelope = json.loads(bytes(receipt.envelope))
    entries = client.get("/.well-known/touchstone/keys.json").json()["keys"]
    payload = bytearray(base64.b64decode(envelope["payload"]))
    payload[-1] ^= flipped
    accepted = openssl_accepts(
        tmp_path,
        pem=next(e["pem"] for e in entries if e["kid"] == envelope["signatures"][0]["keyid"]),
        payload=bytes(payload),
        kind=envelope["payloadType"],
        signature=base64.b64decode(envelope["signatures"][0]["sig"]),
    )
    assert accepted is not flipped


@pytest.mark.parametrize("kind", list(Receipt.Kind))
def test_each_kind_is_signed_by_the_key_of_its_purpose(keys: None, kind: Receipt.Kind) -> None:
    assert sign(kind).key.purpose == kind
    assert verify_envelope(bytes(sign(kind, "cd" * 32).envelope), parse_keys(keys_document()))


def test_after_rotation_the_new_key_signs_and_the_old_receipt_verifies(keys: None) -> None:
    old = sign()
    retire("benchmark")
    new_key = create_key(purpose="benchmark")
    assert sign(sha256="cd" * 32).key == new_key
    assert verify_envelope(bytes(old.envelope), parse_keys(keys_document())).key.kid == old.key_id


def test_a_receipt_by_a_stranger_is_not_ours(keys: None) -> None:
    document = keys_document()
    retire("benchmark")
    create_key(purpose="benchmark")
    with pytest.raises(SignatureError):
        verify_envelope(bytes(sign().envelope), parse_keys(document))


def test_nothing_is_stored_when_nothing_can_be_signed(keys: None) -> None:
    with pytest.raises(StatementError, match=r"subject\[0\]\.digest\.sha256"):
        sign(sha256="not a digest")
    key_path(SigningKey.objects.get(purpose="benchmark").kid).unlink()
    with pytest.raises(PrivateKeyError):
        sign()
    assert not Receipt.objects.exists()


def test_without_a_key_nothing_is_signed(db: None) -> None:
    with pytest.raises(SigningKey.DoesNotExist):
        sign()
