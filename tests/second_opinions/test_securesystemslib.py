"""securesystemslib and ours on the same envelopes: each reads what the other signed."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # public
from touchstone.envelope import PAYLOAD_TYPE, SignatureError, sign_payload, verify_envelope
from touchstone.keys import PublicKey, thumbprint

from tests.verifier.kits import SELLER, STRANGER

# Not UTF-8, and its base64 differs between the two alphabets.
PAYLOAD = b'{"n": 1, "\xfb\xff\xfe": "\xff"}'
TRUSTED = PublicKey(SELLER.public_key())


def their_key(private: Ed25519PrivateKey, keyid: str = TRUSTED.kid) -> SSlibKey:
    """The key as securesystemslib holds it; it finds a signature's key by this id."""
    return SSlibKey.from_crypto(private.public_key(), keyid=keyid)


def read_by_them(raw: bytes, private: Ed25519PrivateKey) -> bytes:
    envelope = Envelope.from_dict(json.loads(raw))
    envelope.verify([their_key(private)], threshold=1)
    return bytes(envelope.payload)


def signed_by_them(private: Ed25519PrivateKey, payload: bytes = PAYLOAD) -> bytes:
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(private, their_key(private, thumbprint(private.public_key()))))
    return json.dumps(envelope.to_dict()).encode()


def changed(raw: bytes, **fields: Any) -> bytes:
    return json.dumps({**json.loads(raw), **fields}).encode()


def test_they_read_what_we_signed() -> None:
    assert read_by_them(sign_payload(PAYLOAD, SELLER), SELLER) == PAYLOAD


def test_we_read_what_they_signed() -> None:
    verified = verify_envelope(signed_by_them(SELLER), [TRUSTED])
    assert (verified.payload, verified.key) == (PAYLOAD, TRUSTED)


def test_both_write_the_same_fields_with_the_same_signature() -> None:
    assert json.loads(signed_by_them(SELLER)) == json.loads(sign_payload(PAYLOAD, SELLER))


@pytest.mark.parametrize("signed", [sign_payload(PAYLOAD, SELLER), signed_by_them(SELLER)])
def test_both_refuse_another_key(signed: bytes) -> None:
    with pytest.raises(VerificationError):
        read_by_them(signed, STRANGER)
    with pytest.raises(SignatureError):
        verify_envelope(signed, [PublicKey(STRANGER.public_key())])


@pytest.mark.parametrize("signed", [sign_payload(PAYLOAD, SELLER), signed_by_them(SELLER)])
def test_both_refuse_another_payload(signed: bytes) -> None:
    altered = changed(signed, payload=b64encode(PAYLOAD + b" ").decode())
    with pytest.raises(VerificationError):
        read_by_them(altered, SELLER)
    with pytest.raises(SignatureError):
        verify_envelope(altered, [TRUSTED])


def test_both_refuse_the_signature_of_another_payload() -> None:
    signatures = json.loads(signed_by_them(SELLER, b"{}"))["signatures"]
    altered = changed(sign_payload(PAYLOAD, SELLER), signatures=signatures)
    with pytest.raises(VerificationError):
        read_by_them(altered, SELLER)
    with pytest.raises(SignatureError):
        verify_envelope(altered, [TRUSTED])


def test_they_refuse_a_payload_type_that_was_not_signed() -> None:
    # Ours refuses every other type before it looks at the signature.
    with pytest.raises(VerificationError):
        read_by_them(changed(sign_payload(PAYLOAD, SELLER), payloadType="text/plain"), SELLER)
