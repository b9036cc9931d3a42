"""Key documents: thumbprints, dates, status, and what contradicts itself."""

import json
from base64 import urlsafe_b64decode
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from touchstone.keys import KeysError, PublicKey, parse_keys, thumbprint, to_entry, to_jwk

from tests.verifier.kits import SELLER, STRANGER, by_words, keys_of

KEY = PublicKey(
    SELLER.public_key(),
    status="revoked",
    not_before=datetime(2026, 1, 1, tzinfo=UTC),
    not_after=datetime(2027, 1, 1, 12, 30, tzinfo=UTC),
    compromised_since=datetime(2026, 7, 1, tzinfo=UTC),
    purpose="buyer",
)


def document(**changes: object) -> bytes:
    entry: dict[str, object] = {**to_entry(PublicKey(SELLER.public_key())), **changes}
    return json.dumps({"keys": [entry]}).encode()


def test_the_thumbprint_is_the_one_of_rfc_8037() -> None:
    x = urlsafe_b64decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    expected = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    assert thumbprint(Ed25519PublicKey.from_public_bytes(x)) == expected


def test_a_written_key_reads_back_with_status_and_dates() -> None:
    [read] = parse_keys(keys_of(KEY))
    assert (read.kid, read.status, read.not_before) == (KEY.kid, "revoked", KEY.not_before)
    assert (read.not_after, read.compromised_since) == (KEY.not_after, KEY.compromised_since)
    assert read.purpose == "buyer"


def test_a_key_of_a_plain_jwk_set_counts_as_active() -> None:
    plain = json.dumps({"keys": [to_jwk(SELLER.public_key())]}).encode()
    [read] = parse_keys(plain)
    assert (read.kid, read.status, read.purpose) == (KEY.kid, "active", None)


def test_keys_of_other_types_are_passed_over() -> None:
    rsa = {"kty": "RSA", "n": "AQAB", "e": "AQAB"}
    entries = [rsa, to_jwk(SELLER.public_key())]
    [read] = parse_keys(json.dumps({"keys": entries}).encode())
    assert read.kid == KEY.kid


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"<html>", "keys: not JSON"),
        (b"{}", "keys: must be a list"),
        (b'{"keys": [7]}', r"keys\[0\]: must be an object"),
        (document(d="c2VjcmV0"), r"keys\[0\].d: this is a private key"),
        (document(x=None), r"keys\[0\].x: must be a string"),
        (document(x="AAAA"), r"keys\[0\].x: must be 32 bytes"),
        (document(x="!"), r"keys\[0\].x: must be 32 bytes"),
        (document(status="trusted"), r"keys\[0\].status: must be one of active, retired"),
        (document(status=["active"]), r"keys\[0\].status: must be one of"),
        (document(kid="other"), r"keys\[0\].kid: is not the thumbprint"),
        (document(purpose=""), r"keys\[0\].purpose: must be a word"),
        (document(purpose=["benchmark"]), r"keys\[0\].purpose: must be a word"),
        (document(alg="ES256"), r"keys\[0\].alg: must be EdDSA"),
        (document(pem=PublicKey(STRANGER.public_key()).pem), r"keys\[0\].pem: is not this key"),
        (document(pem="text"), r"keys\[0\].pem: is not this key"),
        (document(notBefore="yesterday"), r"keys\[0\].notBefore: 'yesterday' is not a time"),
        (document(notBefore="2026-02-30T00:00:00Z"), r"keys\[0\].notBefore: day is out of range"),
        (document(notAfter="2026-01-01T00:00:00+02:00"), r"keys\[0\].notAfter: .* in UTC"),
        (document(notAfter=7), r"keys\[0\].notAfter: '7' is not a time"),
        (document(compromisedSince="2026-01-01T00:00:00Z"), r"status: must be revoked"),
        (
            document(notBefore="2027-01-01T00:00:00Z", notAfter="2026-01-01T00:00:00Z"),
            r"notAfter: lies before notBefore",
        ),
        (keys_of(KEY, KEY), "the same key is listed twice"),
    ],
    ids=by_words,
)
def test_a_wrong_document_names_its_field(raw: bytes, message: str) -> None:
    with pytest.raises(KeysError, match=message):
        parse_keys(raw)


def test_a_date_without_zone_is_never_written() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        to_entry(PublicKey(SELLER.public_key(), not_after=datetime(2026, 1, 1)))  # noqa: DTZ001 - the fault under test
