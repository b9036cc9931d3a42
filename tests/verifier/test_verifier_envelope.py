"""DSSE envelopes: what is signed, what is accepted, and what is refused and why."""

import hashlib
import json
from base64 import b64encode, urlsafe_b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from touchstone.envelope import (
    PAYLOAD_TYPE,
    EnvelopeError,
    RevokedKeyError,
    SignatureError,
    pae,
    parse_envelope,
    sign_payload,
    sigstore_bundle,
    verify_envelope,
)
from touchstone.keys import PublicKey, thumbprint

from tests.verifier.kits import SELLER, STRANGER, by_words

TRUSTED = PublicKey(SELLER.public_key())
# Bytes whose base64 differs between the two alphabets.
PAYLOAD = b'{"n": 1, "\xfb\xff\xfe": "\xff"}'


def opened(raw: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(raw)
    return fields


def closed(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields).encode()


def envelope(**changes: object) -> bytes:
    return closed({**opened(sign_payload(PAYLOAD, SELLER)), **changes})


def with_signature(**changes: object) -> bytes:
    [signature] = opened(sign_payload(PAYLOAD, SELLER))["signatures"]
    return envelope(signatures=[{**signature, **changes}])


def test_the_encoding_is_the_one_of_the_dsse_specification() -> None:
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pae("http://example.com/HelloWorld", b"hello world") == expected


def test_the_encoding_counts_bytes_not_characters() -> None:
    assert pae("é", b"\xc3") == b"DSSEv1 2 \xc3\xa9 1 \xc3"


def test_what_was_signed_comes_back_byte_for_byte() -> None:
    verified = verify_envelope(sign_payload(PAYLOAD, SELLER), [TRUSTED])
    assert (verified.payload, verified.key) == (PAYLOAD, TRUSTED)


def test_an_envelope_names_its_key_by_thumbprint_and_has_one_signature() -> None:
    [signature] = opened(sign_payload(PAYLOAD, SELLER))["signatures"]
    assert signature["keyid"] == thumbprint(SELLER.public_key())


@pytest.mark.parametrize("keyid", [None, "", "of another scheme"])
def test_a_key_id_that_is_empty_or_unknown_decides_nothing(keyid: str | None) -> None:
    assert verify_envelope(with_signature(keyid=keyid), [TRUSTED]).payload == PAYLOAD


def test_an_envelope_without_key_id_verifies() -> None:
    [signature] = opened(sign_payload(PAYLOAD, SELLER))["signatures"]
    raw = envelope(signatures=[{"sig": signature["sig"]}])
    assert verify_envelope(raw, [TRUSTED]).payload == PAYLOAD


def test_a_key_id_does_not_lend_its_trust_to_a_stranger() -> None:
    [signature] = opened(sign_payload(PAYLOAD, STRANGER))["signatures"]
    raw = with_signature(sig=signature["sig"])
    with pytest.raises(SignatureError, match="was altered"):
        verify_envelope(raw, [TRUSTED])


def test_every_trusted_key_is_tried() -> None:
    keys = [PublicKey(STRANGER.public_key()), TRUSTED]
    assert verify_envelope(sign_payload(PAYLOAD, SELLER), keys).key is TRUSTED


def test_another_key_does_not_verify() -> None:
    with pytest.raises(SignatureError, match="none of the 1 trusted keys"):
        verify_envelope(sign_payload(PAYLOAD, STRANGER), [TRUSTED])


def test_no_key_verifies_nothing() -> None:
    with pytest.raises(SignatureError, match="no Ed25519 key was given"):
        verify_envelope(sign_payload(PAYLOAD, SELLER), [])


def test_a_retired_key_verifies() -> None:
    retired = PublicKey(SELLER.public_key(), status="retired")
    assert verify_envelope(sign_payload(PAYLOAD, SELLER), [retired]).key.status == "retired"


def test_a_revoked_key_is_refused_with_the_moment_of_its_compromise() -> None:
    since = datetime(2026, 7, 1, tzinfo=UTC)
    revoked = PublicKey(SELLER.public_key(), status="revoked", compromised_since=since)
    with pytest.raises(RevokedKeyError, match="compromised since 2026-07-01T00:00:00Z"):
        verify_envelope(sign_payload(PAYLOAD, SELLER), [revoked])


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(hashlib.sha512(pae(PAYLOAD_TYPE, PAYLOAD)).digest(), id="prehashed"),
        pytest.param(PAYLOAD, id="payload without its type"),
        pytest.param(pae("text/plain", PAYLOAD), id="another type"),
    ],
)
def test_a_signature_over_anything_but_the_encoding_is_refused(message: bytes) -> None:
    raw = with_signature(sig=b64encode(SELLER.sign(message)).decode())
    with pytest.raises(SignatureError):
        verify_envelope(raw, [TRUSTED])


@pytest.mark.parametrize("padding", [True, False])
def test_the_url_safe_alphabet_is_read_too(padding: bool) -> None:
    payload = urlsafe_b64encode(PAYLOAD).decode()
    assert {"-", "_"} & set(payload)
    raw = envelope(payload=payload if padding else payload.rstrip("="))
    assert verify_envelope(raw, [TRUSTED]).payload == PAYLOAD


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (envelope(payloadType="application/json"), "payloadType"),
        (envelope(payload="****"), "payload"),
        (envelope(payload="YQ==\n"), "payload"),
        (envelope(payload="YR=="), "payload"),
        (envelope(payload="-_+/"), "payload"),
        (envelope(payload="\u00e9"), "payload"),
        (envelope(payload=7), "payload"),
        (envelope(signatures=[]), "signatures"),
        (envelope(signatures={"sig": ""}), "signatures"),
        (envelope(signatures=[{"sig": ""}] * 2), "signatures"),
        (envelope(signatures=["sig"]), r"signatures\[0\]"),
        (with_signature(keyid=7), r"signatures\[0\].keyid"),
        (with_signature(sig=None), r"signatures\[0\].sig"),
        (envelope(mediaType="application/json"), "mediaType"),
    ],
    ids=by_words,
)
def test_a_malformed_field_is_named(raw: bytes, field: str) -> None:
    with pytest.raises(EnvelopeError, match=f"^{field}:"):
        parse_envelope(raw)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff{}", "not UTF-8"),
        (b"[]", "not a JSON object"),
        (b'{"a": 1, "a": 1}', "'a' appears twice"),
        (b'{"signatures": [{"keyid": "", "keyid": ""}]}', "'keyid' appears twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' * 100_000, "nested too deeply"),
        (b" " * (5 << 20), "longer than"),
        (b'{"a": [' + b"{}," * 100_000 + b"{}]}", "more than 200000 parts"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
    ],
    ids=by_words,
)
def test_json_that_readers_disagree_about_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(EnvelopeError, match=reason):
        parse_envelope(raw)


def test_a_sigstore_bundle_holds_the_very_bytes_and_verifies() -> None:
    raw = sign_payload(PAYLOAD, SELLER)
    bundle = sigstore_bundle(raw)
    assert raw.strip() in bundle
    assert verify_envelope(bundle, [TRUSTED]).payload == PAYLOAD


def test_a_sigstore_bundle_has_the_published_shape() -> None:
    bundle = opened(sigstore_bundle(sign_payload(PAYLOAD, SELLER)))
    material = {"publicKey": {"hint": TRUSTED.kid}, "tlogEntries": []}
    assert bundle["mediaType"] == "application/vnd.dev.sigstore.bundle.v0.3+json"
    assert bundle["verificationMaterial"] == material


def test_a_bundle_without_envelope_is_refused() -> None:
    bundle = opened(sigstore_bundle(sign_payload(PAYLOAD, SELLER)))
    with pytest.raises(EnvelopeError, match=r"^dsseEnvelope:"):
        parse_envelope(closed({**bundle, "dsseEnvelope": None}))
