"""openssl signs and ours verifies; ours signs and openssl verifies."""

from __future__ import annotations

import json
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from touchstone.envelope import (
    PAYLOAD_TYPE,
    SignatureError,
    pae,
    parse_envelope,
    sign_payload,
    verify_envelope,
)
from touchstone.keys import PublicKey

from tests.verifier.kits import SELLER, STRANGER, lay_out

PAYLOAD = b'{"n": 1}'
TRUSTED, OTHER = PublicKey(SELLER.public_key()), PublicKey(STRANGER.public_key())
pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl 3")


def openssl(folder: Path, command: str) -> bool:
    done = subprocess.run(
        ["openssl", "pkeyutl", *command.split()], cwd=folder, capture_output=True, check=False
    )
    return done.returncode == 0


def accepts(folder: Path, payload: bytes, key: PublicKey) -> bool:
    """Whether openssl takes our signature over PAYLOAD for one over `payload`, by that key."""
    signature = parse_envelope(sign_payload(PAYLOAD, SELLER)).signature
    signed = pae(PAYLOAD_TYPE, payload)
    lay_out(folder, {"signed": signed, "sig": signature, "key.pem": key.pem.encode()})
    return openssl(folder, "-verify -pubin -inkey key.pem -rawin -in signed -sigfile sig")


def test_openssl_verifies_what_we_signed_and_nothing_else(tmp_path: Path) -> None:
    assert accepts(tmp_path, PAYLOAD, TRUSTED)
    assert not accepts(tmp_path, PAYLOAD + b" ", TRUSTED)
    assert not accepts(tmp_path, PAYLOAD, OTHER)


def test_we_verify_what_openssl_signed_and_nothing_else(tmp_path: Path) -> None:
    private = SELLER.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    lay_out(tmp_path, {"private.pem": private, "signed": pae(PAYLOAD_TYPE, PAYLOAD)})
    assert openssl(tmp_path, "-sign -inkey private.pem -rawin -in signed -out sig")
    envelope = json.loads(sign_payload(PAYLOAD, STRANGER))
    envelope["signatures"][0]["sig"] = b64encode((tmp_path / "sig").read_bytes()).decode()
    raw = json.dumps(envelope).encode()
    assert verify_envelope(raw, [TRUSTED]).payload == PAYLOAD
    with pytest.raises(SignatureError):
        verify_envelope(raw, [OTHER])
