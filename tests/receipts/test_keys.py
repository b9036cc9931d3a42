"""Signing keys: made outside the database, published, and never told."""

from __future__ import annotations

import json
import os
import stat
import traceback
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from touchstone.keys import parse_keys

from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError, key_path, private_key
from tests.shop import retire, revoke


def benchmark_key() -> SigningKey:
    return SigningKey.objects.get(purpose="benchmark")


def pem(key: Any, encryption: KeySerializationEncryption | None = None) -> bytes:
    encryption = encryption or NoEncryption()
    return bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))


def test_newkey_makes_a_key_for_every_purpose(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("newkey")
    said = capsys.readouterr().out
    for key in SigningKey.objects.all():
        assert f"{key.purpose}: {key.kid}\n  private half: {key_path(key.kid)}" in said
    assert {key.purpose for key in SigningKey.objects.all()} == set(SigningKey.Purpose.values)


def test_newkey_says_nothing_that_is_secret(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("newkey")
    said = "".join(capsys.readouterr())
    body = key_path(benchmark_key().kid).read_text().splitlines()[1]
    assert body not in said
    assert "PRIVATE" not in said


def test_a_private_half_is_for_its_owner_alone(keys: None, settings: Any) -> None:
    modes = {stat.S_IMODE(path.stat().st_mode) for path in Path(settings.KEYS_DIR).iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(Path(settings.KEYS_DIR).stat().st_mode) == 0o700


def test_the_database_holds_no_private_half(keys: None) -> None:
    seed = private_key(kid=benchmark_key().kid, purpose="benchmark").private_bytes_raw()
    with connection.cursor() as cursor:
        cursor.execute("SELECT k::text FROM receipts_signingkey k")
        rows = str(cursor.fetchall())
    assert bytes(benchmark_key().public_key).hex() in rows
    assert seed.hex() not in rows


def test_newkey_for_one_purpose_makes_that_one(db: None) -> None:
    call_command("newkey", "--purpose", "buyer")
    assert [key.purpose for key in SigningKey.objects.all()] == ["buyer"]


def test_newkey_adds_only_what_is_lacking(db: None) -> None:
    call_command("newkey", "--purpose", "buyer")
    call_command("newkey")
    assert SigningKey.objects.count() == len(SigningKey.Purpose.values)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--purpose", "buyer"], "buyer has an active key already"),
        ([], "every purpose has an active key already"),
        (["--purpose", "other"], "invalid choice: 'other'"),
    ],
)
def test_newkey_refuses_a_second_active_key(
    keys: None, settings: Any, arguments: list[str], reason: str
) -> None:
    files = set(Path(settings.KEYS_DIR).iterdir())
    with pytest.raises(CommandError, match=reason):
        call_command("newkey", *arguments)
    assert set(Path(settings.KEYS_DIR).iterdir()) == files
    assert SigningKey.objects.count() == len(SigningKey.Purpose)


def test_after_retiring_a_key_a_new_one_can_be_made(keys: None) -> None:
    retire("buyer")
    call_command("newkey", "--purpose", "buyer")
    assert SigningKey.objects.filter(purpose="buyer").count() == 2


def test_the_environment_comes_first(keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = key_path(benchmark_key().kid)
    monkeypatch.setenv("TOUCHSTONE_KEY_BENCHMARK", path.read_text())
    path.unlink()
    found = private_key(kid=benchmark_key().kid, purpose="benchmark")
    assert found.public_key().public_bytes_raw() == bytes(benchmark_key().public_key)


SEED = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
BAD = {
    "cut": (pem(SEED)[:-40], "no unencrypted PKCS#8 PEM key"),
    "garbled": (pem(SEED).replace(b"MC4", b"!!!"), "no unencrypted PKCS#8 PEM key"),
    "encrypted": (pem(SEED, BestAvailableEncryption(b"pass")), "no unencrypted PKCS#8 PEM key"),
    "not text": (b"\xff\xfe" + pem(SEED)[2:], "no unencrypted PKCS#8 PEM key"),
    "another curve": (pem(generate_private_key(SECP256R1())), "a key that is not Ed25519"),
    "another key": (pem(SEED), "another key than"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("source", ["file", "environment"])
def test_a_wrong_private_half_is_refused_and_never_shown(
    keys: None, monkeypatch: pytest.MonkeyPatch, case: str, source: str
) -> None:
    content, reason = BAD[case]
    kid = benchmark_key().kid
    if source == "file":
        key_path(kid).write_bytes(content)
    else:
        monkeypatch.setitem(os.environb, b"TOUCHSTONE_KEY_BENCHMARK", content)
    with pytest.raises(PrivateKeyError) as refused:
        private_key(kid=kid, purpose="benchmark")
    told = "".join(traceback.format_exception(refused.value))
    assert reason in told
    lines = content.decode("latin-1").splitlines()[1:-1]
    assert not [line for line in lines if line in told]


def test_a_missing_private_half_says_where_it_was_sought(keys: None) -> None:
    kid = benchmark_key().kid
    key_path(kid).unlink()
    with pytest.raises(PrivateKeyError, match=rf"neither in TOUCHSTONE_KEY_BENCHMARK nor in {kid}"):
        private_key(kid=kid, purpose="benchmark")


def retire_and_revoke() -> None:
    retire("benchmark")
    revoke("buyer")
    call_command("newkey")


def test_keys_json_lists_every_key_there_ever_was(keys: None, client: Client) -> None:
    retire_and_revoke()
    response = client.get("/.well-known/touchstone/keys.json")
    found = parse_keys(response.content)
    assert {key.kid for key in found} == {key.kid for key in SigningKey.objects.all()}
    assert sorted(key.status for key in found) == [
        "active",
        "active",
        "active",
        "retired",
        "revoked",
    ]
    entry = next(e for e in json.loads(response.content)["keys"] if e["status"] == "revoked")
    assert entry["compromisedSince"].endswith("Z")
    assert entry["pem"].startswith("-----BEGIN PUBLIC KEY-----\n")
    assert entry["purpose"] == "buyer"


def test_the_jwk_set_leaves_revoked_keys_out(keys: None, client: Client) -> None:
    retire_and_revoke()
    response = client.get("/.well-known/jwks.json")
    entries = json.loads(response.content)["keys"]
    wanted = SigningKey.objects.exclude(status="revoked")
    assert {entry["kid"] for entry in entries} == {key.kid for key in wanted}
    assert all((e["kty"], e["crv"], e["alg"]) == ("OKP", "Ed25519", "EdDSA") for e in entries)
    assert response["Content-Type"] == "application/jwk-set+json"


@pytest.mark.parametrize("path", ["/.well-known/touchstone/keys.json", "/.well-known/jwks.json"])
def test_key_documents_hold_public_halves_and_are_open_to_all(
    keys: None, client: Client, path: str
) -> None:
    response = client.get(path)
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Cache-Control"] == "public, max-age=60"
    assert '"d"' not in response.text
    assert "PRIVATE" not in response.text
    assert client.post(path).status_code == 405
