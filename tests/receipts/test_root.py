"""The offline root: made outside the store, it signs keys.json, and only the current one counts."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from touchstone.cli import main
from touchstone.root import KEYS_TYPE, fingerprint, grouped, load_root, parse_root, verify_keys

from receipts.keys import active_key, keys_document
from receipts.models import SignedKeys
from receipts.private_keys import key_path
from tests.shop import revoke

Capture = pytest.CaptureFixture[str]
KEYS, DSSE, ROOT = (
    f"/.well-known/touchstone/{name}.json" for name in ("keys", "keys.dsse", "root")
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The file of a root."""
    call_command("newroot", "--out", str(tmp_path / "root.pem"))
    return tmp_path / "root.pem"


def key_in(root: Path) -> Ed25519PrivateKey:
    return load_root(root.read_bytes())


def test_a_root_is_made_for_its_owner_alone_and_told_by_fingerprint(
    tmp_path: Path, capsys: Capture
) -> None:
    place = tmp_path / "root.pem"
    call_command("newroot", "--out", str(place))
    said = capsys.readouterr().out
    assert f"root: {grouped(fingerprint(key_in(place).public_key()))}\n" in said
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert place.read_text().splitlines()[1] not in said


def test_openssl_gives_the_same_fingerprint(root: Path) -> None:
    command = "openssl pkey -pubin -in root.pem.pub -outform DER | sha256sum"
    done = subprocess.run(
        ["sh", "-c", command], cwd=root.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == fingerprint(key_in(root).public_key())


def test_a_root_is_not_made_over_another_or_beside_the_keys(root: Path, settings: Any) -> None:
    before = root.read_bytes()
    with pytest.raises(CommandError, match="a root is never overwritten"):
        call_command("newroot", "--out", str(root))
    assert root.read_bytes() == before
    with pytest.raises(CommandError, match="lies in KEYS_DIR"):
        call_command("newroot", "--out", str(Path(settings.KEYS_DIR) / "below" / "root.pem"))
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("newroot", "--out", str(root.parent / "none" / "root.pem"))


def test_what_the_root_signed_is_served_as_it_is(keys: None, root: Path, client: Client) -> None:
    call_command("sign_keys", "--root", str(root))
    public = parse_root(client.get(ROOT).content)
    assert public.public_bytes_raw() == key_in(root).public_key().public_bytes_raw()
    envelope = client.get(DSSE)
    assert verify_keys(envelope.content, public).raw == client.get(KEYS).content
    assert json.loads(envelope.content)["payloadType"] == KEYS_TYPE
    assert envelope["Access-Control-Allow-Origin"] == "*"


def test_before_the_root_signed_nothing_is_served_in_its_name(keys: None, client: Client) -> None:
    assert client.get(ROOT).status_code == 404
    answer = client.get(DSSE)
    assert (answer.status_code, answer.text) == (
        503,
        "The root has not signed the current keys yet.\n",
    )
    assert answer["Cache-Control"] == "no-store"


def test_a_key_change_takes_the_signature_away_until_the_next(
    keys: None, root: Path, client: Client
) -> None:
    call_command("sign_keys", "--root", str(root))
    assert "warnings" not in client.get("/readyz").json()
    revoke("benchmark")
    assert client.get(DSSE).status_code == 503
    assert client.get(KEYS).content == keys_document()
    assert client.get("/readyz").json() == {
        "status": "ok",
        "warnings": ["keys.json is not signed by the root"],
    }
    call_command("sign_keys", "--root", str(root))
    assert client.get(DSSE).status_code == 200
    assert SignedKeys.objects.count() == 2


def test_signing_again_changes_nothing(keys: None, root: Path, capsys: Capture) -> None:
    call_command("sign_keys", "--root", str(root))
    call_command("sign_keys", "--root", str(root))
    assert "nothing to do" in capsys.readouterr().out
    assert SignedKeys.objects.count() == 1


def test_another_root_signs_only_when_told_to(keys: None, root: Path, client: Client) -> None:
    call_command("sign_keys", "--root", str(root))
    other = root.with_name("other.pem")
    call_command("newroot", "--out", str(other))
    with pytest.raises(CommandError, match="buyers have pinned it"):
        call_command("sign_keys", "--root", str(other))
    call_command("sign_keys", "--root", str(other), "--replace-root")
    shown = json.loads(client.get(ROOT).content)["fingerprint"]
    assert shown == fingerprint(key_in(other).public_key())
    assert client.get(DSSE).status_code == 200


def export_and_sign(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Path:
    """The ceremony up to the point where the signed document comes back."""
    exported, signed = root.with_name("keys.json"), root.with_name("signed.json")
    call_command("export_keys", str(exported))
    capsysbinary.readouterr()
    assert main(["sign-keys", "--root", str(root), str(exported)]) == 0
    signed.write_bytes(capsysbinary.readouterr().out)
    return signed


def test_the_root_may_stay_on_a_machine_without_the_store(
    keys: None, root: Path, client: Client, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    signed = export_and_sign(root, capsysbinary)
    with pytest.raises(CommandError, match="give its public half"):
        call_command("import_keys", str(signed))
    call_command("import_keys", str(signed), "--root", f"{root}.pub")
    assert client.get(DSSE).content == signed.read_bytes()
    call_command("import_keys", str(signed))
    assert SignedKeys.objects.count() == 1


def test_what_was_signed_elsewhere_must_be_the_current_document(
    keys: None, root: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    signed = export_and_sign(root, capsysbinary)
    revoke("buyer")
    with pytest.raises(CommandError, match=r"keys\.json has changed since"):
        call_command("import_keys", str(signed), "--root", f"{root}.pub")
    assert not SignedKeys.objects.exists()


def test_what_another_root_signed_is_not_taken_in(
    keys: None, root: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    signed = export_and_sign(root, capsysbinary)
    other = root.with_name("other.pem")
    call_command("newroot", "--out", str(other))
    with pytest.raises(CommandError, match="did not sign them"):
        call_command("import_keys", str(signed), "--root", f"{other}.pub")
    signed.write_bytes(b"{}")
    with pytest.raises(CommandError, match="signed keys: payloadType"):
        call_command("import_keys", str(signed), "--root", f"{root}.pub")
    with pytest.raises(CommandError, match="holds no public key in PEM"):
        call_command("import_keys", str(signed), "--root", str(signed))


def test_a_signing_key_is_no_root(keys: None) -> None:
    with pytest.raises(CommandError, match="it must be a key apart"):
        call_command("sign_keys", "--root", str(key_path(active_key("buyer").kid)))


@pytest.mark.parametrize("content", [b"", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_a_file_that_holds_no_root_is_refused(keys: None, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "root.pem").write_bytes(content)
    with pytest.raises(CommandError, match="no unencrypted PKCS#8 PEM key"):
        call_command("sign_keys", "--root", str(tmp_path / "root.pem"))


def test_a_demo_signs_after_each_key_change(
    keys: None, root: Path, settings: Any, client: Client, capsys: Capture
) -> None:
    settings.ROOT_KEY_FILE = str(root)
    for arguments in (
        ["rotatekey", "--purpose", "buyer"],
        ["retirekey", active_key("benchmark").kid],
        ["newkey"],
        ["revokekey", active_key("buyer").kid, "--since", "2026-07-01T00:00:00Z", "--reason", "x"],
    ):
        call_command(*arguments, *(["--yes"] if arguments[0] == "revokekey" else []))
        assert client.get(DSSE).status_code == 200
        assert "signed by the root of ROOT_KEY_FILE" in capsys.readouterr().out


def test_a_store_without_the_file_says_what_to_do(
    keys: None, settings: Any, capsys: Capture
) -> None:
    call_command("rotatekey", "--purpose", "buyer")
    assert "until the root signs it" in capsys.readouterr().out
    settings.ROOT_KEY_FILE = "/nowhere/root.pem"
    call_command("rotatekey", "--purpose", "buyer")
    assert "is not signed: ROOT_KEY_FILE" in capsys.readouterr().out
    assert active_key("buyer").status == "active"


@pytest.mark.parametrize(
    "change", ["payload_sha256 = repeat('0', 64)", "sequence = 99", "root_public_key = 'x'"]
)
def test_postgres_holds_the_row_to_its_bytes(keys: None, root: Path, change: str) -> None:
    call_command("sign_keys", "--root", str(root))
    column, value = change.split(" = ")
    columns = ["envelope", "payload_sha256", "sequence", "root_public_key"]
    values = ", ".join(value if each == column else each for each in columns)
    insert = "INSERT INTO receipts_signedkeys ({}, signed_at) SELECT {}, now() FROM {}"
    with (
        pytest.raises(IntegrityError, match="signed_keys_are_their_bytes"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(insert.format(", ".join(columns), values, "receipts_signedkeys"))
