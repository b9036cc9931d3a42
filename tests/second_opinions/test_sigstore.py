"""The Sigstore project's verifier over our bundles: it and ours accept and refuse the same."""

from __future__ import annotations

import json
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest
from touchstone.envelope import SignatureError, parse_envelope, sigstore_bundle, verify_envelope
from touchstone.keys import PublicKey

from tests.verifier.kits import RECEIPT, SELLER, STRANGER

HERE = Path(__file__).parent
BUNDLE = json.loads(sigstore_bundle(RECEIPT))
TRUSTED = PublicKey(SELLER.public_key())


def bundle(**changed: object) -> bytes:
    """The bundle of a receipt whose envelope has other fields."""
    return json.dumps({**BUNDLE, "dsseEnvelope": {**BUNDLE["dsseEnvelope"], **changed}}).encode()


def signed_with(signature: bytes, keyid: str = TRUSTED.kid) -> list[dict[str, str]]:
    return [{"keyid": keyid, "sig": b64encode(signature).decode()}]


def verify_with_sigstore(
    folder: Path, raw: bytes, key: PublicKey = TRUSTED
) -> subprocess.CompletedProcess[str]:
    if not (shutil.which("node") and (HERE / "node_modules").is_dir()):
        pytest.skip("needs node, and once: npm ci --prefix tests/second_opinions")
    (folder / "receipt.sigstore.json").write_bytes(raw)
    (folder / "key.pem").write_text(key.pem)
    command = ["node", str(HERE / "verify.mjs"), "receipt.sigstore.json", "key.pem", "payload"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_sigstore_verifies_a_bundle_and_reads_the_payload_that_we_signed(tmp_path: Path) -> None:
    done = verify_with_sigstore(tmp_path, sigstore_bundle(RECEIPT))
    assert (done.returncode, done.stdout) == (0, "verifies\n"), done.stderr
    assert (tmp_path / "payload").read_bytes() == parse_envelope(RECEIPT).payload


def test_another_key_is_refused_by_both(tmp_path: Path) -> None:
    other = PublicKey(STRANGER.public_key())
    done = verify_with_sigstore(tmp_path, sigstore_bundle(RECEIPT), other)
    assert (done.returncode, done.stdout) == (1, "")
    assert "signature verification failed" in done.stderr
    with pytest.raises(SignatureError):
        verify_envelope(sigstore_bundle(RECEIPT), [other])


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(bundle(payload=b64encode(b"{}").decode()), id="payload"),
        pytest.param(bundle(signatures=signed_with(bytes(64))), id="zeros"),
        pytest.param(bundle(signatures=signed_with(STRANGER.sign(b"x"))), id="other bytes"),
        pytest.param(bundle(signatures=signed_with(b"short")), id="short"),
    ],
)
def test_what_was_changed_is_refused_by_both(tmp_path: Path, raw: bytes) -> None:
    done = verify_with_sigstore(tmp_path, raw)
    assert (done.returncode, done.stdout) == (1, "")
    assert not (tmp_path / "payload").exists()
    with pytest.raises(SignatureError):
        verify_envelope(raw, [TRUSTED])


def test_the_hint_of_a_bundle_decides_nothing_for_either(tmp_path: Path) -> None:
    changed = json.loads(sigstore_bundle(RECEIPT))
    changed["verificationMaterial"]["publicKey"]["hint"] = "another key"
    raw = json.dumps(changed).encode()
    assert verify_with_sigstore(tmp_path, raw).returncode == 0
    assert verify_envelope(raw, [TRUSTED]).key == TRUSTED


def test_the_lock_names_each_package_by_its_bytes_and_no_registry() -> None:
    lock = json.loads((HERE / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
    assert not any("resolved" in entry for entry in packages.values())
