"""Key documents made to mislead: only the seller's own key, whole and in force, lets a kit hold."""

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st
from touchstone.keys import PublicKey, to_entry

from tests.hostile import Attacker
from tests.verifier.attacking import VERIFY, often, verify
from tests.verifier.kits import KIT, RECEIPT, SELLER, STRANGER

ENTRY: dict[str, Any] = to_entry(PublicKey(SELLER.public_key()))
OTHER: dict[str, Any] = to_entry(PublicKey(STRANGER.public_key()))
SPKI = (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
PEMS = {
    "rsa": rsa.generate_private_key(65537, 1024).public_key().public_bytes(*SPKI),  # noqa: S505 -- weak on purpose, to be refused
    "p-256": ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(*SPKI),
    "ed448": ed448.Ed448PrivateKey.generate().public_key().public_bytes(*SPKI),
    "x25519": x25519.X25519PrivateKey.generate().public_key().public_bytes(*SPKI),
    "private": SELLER.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    "stranger": OTHER["pem"].encode(),
    "cut": ENTRY["pem"][:60].encode(),
    "certificate": b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
    "empty": b"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
}


def entry(**changed: object) -> bytes:
    return json.dumps({"keys": [{**ENTRY, **changed}]}).encode()


def nested(depth: int, value: str = "7") -> bytes:
    return b"[" * depth + value.encode() + b"]" * depth


def with_raw(field: str, raw: bytes) -> bytes:
    """The document with bytes of JSON for one field, which no writer of JSON would write."""
    text = json.dumps({"keys": [{**ENTRY, field: "@"}]}).encode()
    return text.replace(b'"@"', raw)


MISLEADING = {
    "no key": b'{"keys": []}',
    "no list": b'{"keys": {}}',
    "a bare key": json.dumps(ENTRY).encode(),
    "a bare list": json.dumps([ENTRY]).encode(),
    "the seller's key twice": json.dumps({"keys": [ENTRY, ENTRY]}).encode(),
    "revoked first, active second": json.dumps(
        {"keys": [{**ENTRY, "status": "revoked"}, ENTRY]}
    ).encode(),
    "a list of keys twice": entry()[:-1] + b', "keys": []}',
    "a status twice": with_raw("status", b'"revoked", "status": "active"'),
    "a private key beside it": json.dumps({"keys": [ENTRY, {**OTHER, "d": "AA"}]}).encode(),
    "a stranger's point": entry(x=OTHER["x"]),
    "a stranger's id": entry(kid=OTHER["kid"]),
    "a stranger's key": json.dumps({"keys": [OTHER]}).encode(),
    "another curve": entry(crv="Ed448"),
    "another curve's name in capitals": entry(crv="ED25519"),
    "another type": entry(kty="EC"),
    "another algorithm": entry(alg="none"),
    "a revoked key": entry(status="revoked"),
    "a revoked key with a date": entry(status="revoked", compromisedSince="2026-07-01T00:00:00Z"),
    "compromised but active": entry(compromisedSince="2026-07-01T00:00:00Z"),
    "a status in a list": entry(status=["active"]),
    "a status in capitals": entry(status="Active"),
    "dates the wrong way round": entry(
        notBefore="2027-01-01T00:00:00Z", notAfter="2026-01-01T00:00:00Z"
    ),
    "the year zero": entry(notBefore="0000-01-01T00:00:00Z"),
    "a leap second": entry(notBefore="2026-12-31T23:59:60Z"),
    "other digits": entry(notBefore="２０２６-01-01T00:00:00Z"),
    "a point in the other alphabet, mixed": entry(x="-" + ENTRY["x"][1:-1] + "+"),
    "a point with a space": entry(x=f" {ENTRY['x']}"),
    "a point of zeros": entry(x=urlsafe_b64encode(bytes(32)).decode()),
    "a point too long": entry(x=urlsafe_b64encode(bytes(33)).decode()),
    "a megabyte of point": entry(x="A" * (1 << 20)),
    "ten megabytes": entry() + b" " * (10 << 20),
    "a mark before the text": b"\xef\xbb\xbf" + entry(),
    "a zero byte": entry() + b"\0",
    "a huge integer": with_raw("notBefore", b"9" * 100_000),
    "a thousand other keys": json.dumps({"keys": [{"kty": "RSA"}] * 1000}).encode(),
    **{f"a PEM: {name}": entry(pem=pem.decode()) for name, pem in PEMS.items()},
}


@pytest.mark.parametrize("name", MISLEADING)
def test_a_misleading_document_does_not_hold(attack: Attacker, name: str) -> None:
    assert verify(attack, keys=MISLEADING[name]) == 1


@pytest.mark.parametrize("field", ["notBefore", "status", "pem", "x", "kid", "alg", "kty", "more"])
def test_nesting_at_any_depth_ends_without_a_traceback(attack: Attacker, field: str) -> None:
    # Where the reader of JSON still follows, whatever writes or compares the value may not.
    for depth in (*range(1, 1100, 7), 100_000):
        keys = with_raw(field, nested(depth))
        code, _said = attack(VERIFY, {"kit": KIT, "receipt": RECEIPT, "keys": keys})
        assert code == 1 or field == "more"


@often
@given(keep=st.integers(0, len(entry()) - 1))
def test_a_cut_document_never_holds(attack: Attacker, keep: int) -> None:
    assert verify(attack, keys=entry()[:keep]) == 1


@often
@given(
    entries=st.lists(
        st.fixed_dictionaries(
            {"kty": st.just("OKP"), "crv": st.just("Ed25519")},
            optional={
                "x": st.sampled_from([OTHER["x"], "AAAA", "", None, 7]),
                "kid": st.sampled_from([OTHER["kid"], ENTRY["kid"], "", None]),
                "status": st.sampled_from(["active", "retired", "revoked", "", None]),
                "pem": st.sampled_from([OTHER["pem"], ENTRY["pem"], "", None, {}]),
                "notBefore": st.none() | st.text(max_size=30),
            },
        ),
        max_size=4,
    )
)
def test_no_document_without_the_sellers_point_holds(
    attack: Attacker, entries: list[dict[str, object]]
) -> None:
    assert verify(attack, keys=json.dumps({"keys": entries}).encode()) == 1
