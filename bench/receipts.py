"""Signing and verifying a receipt, beside securesystemslib doing the same."""

from __future__ import annotations

import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.signer._crypto_signer import CryptoSigner
from securesystemslib.signer._key import SSlibKey
from touchstone.envelope import PAYLOAD_TYPE, sign_payload, verify_envelope
from touchstone.keys import PublicKey

from bench.pair import Pair

TIMES = 500


def _payload() -> bytes:
    return json.dumps({"figures": [n / 7 for n in range(600)]}).encode()


def signing_pair(scratch: Path) -> Pair:
    """Make an envelope, 500 times."""
    del scratch
    key, payload = Ed25519PrivateKey.generate(), _payload()
    signer = CryptoSigner(key, SSlibKey.from_crypto(key.public_key()))

    def rival() -> None:
        for _ in range(TIMES):
            envelope = Envelope(payload, PAYLOAD_TYPE, {})
            envelope.sign(signer)
            json.dumps(envelope.to_dict()).encode()

    def ours() -> None:
        for _ in range(TIMES):
            sign_payload(payload, key)

    return Pair(
        name=f"sign {TIMES} receipts",
        ours=ours,
        rival_name="securesystemslib",
        rival=rival,
        amount=TIMES,
        unit="receipts/s",
    )


def verifying_pair(scratch: Path) -> Pair:
    """Verify an envelope, 500 times, from its bytes."""
    del scratch
    key, payload = Ed25519PrivateKey.generate(), _payload()
    raw = sign_payload(payload, key)
    trusted, theirs = [PublicKey(key.public_key())], SSlibKey.from_crypto(key.public_key())
    document = json.loads(raw)
    document["signatures"][0]["keyid"] = theirs.keyid

    def ours() -> None:
        for _ in range(TIMES):
            verify_envelope(raw, trusted)

    encoded = json.dumps(document)

    def rival() -> None:
        for _ in range(TIMES):
            Envelope.from_dict(json.loads(encoded)).verify([theirs], 1)

    return Pair(
        name=f"verify {TIMES} receipts",
        ours=ours,
        rival_name="securesystemslib",
        rival=rival,
        amount=TIMES,
        unit="receipts/s",
    )
