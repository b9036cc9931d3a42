"""Rotating, retiring and revoking keys, as staff do it: with commands."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone
from touchstone.envelope import RevokedKeyError, verify_envelope
from touchstone.key_document import parse_document
from touchstone.keys import parse_keys, thumbprint

from catalog.models import PackageVersion
from receipts.key_life import KeyLifeError, revoke_key, rotate_key
from receipts.keys import KeyExistsError, active_key, keys_document
from receipts.models import Receipt, SigningKey
from receipts.private_keys import key_path, private_key
from tests.receipts.test_key_promises import sign
from tests.shop import make_keys, revoke
from tests.threads import Rival

Capture = pytest.CaptureFixture[str]
SINCE = "2026-07-01T00:00:00Z"


def given(monkeypatch: pytest.MonkeyPatch, key: Ed25519PrivateKey) -> str:
    """Put a benchmark key into the environment; returns its id."""
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    monkeypatch.setenv("TOUCHSTONE_KEY_BENCHMARK", pem.decode())
    return thumbprint(key.public_key())


def test_after_rotation_the_new_key_signs_and_old_receipts_verify(
    keys: None, capsys: Capture
) -> None:
    old = sign()
    call_command("rotatekey", "--purpose", "benchmark")
    new = active_key("benchmark")
    said = capsys.readouterr().out
    assert f"benchmark: {new.kid}\n  private half: {key_path(new.kid)}" in said
    assert f"retired: {old.key_id}" in said
    assert sign("cd" * 32).key == new != old.key
    assert verify_envelope(bytes(old.envelope), parse_keys(keys_document())).key.kid == old.key_id
    old.key.refresh_from_db()
    assert old.key.not_after is not None
    assert old.key.not_before <= old.issued_at <= old.key.not_after <= new.not_before


def test_each_step_makes_the_documents_number_larger(keys: None) -> None:
    numbers = [parse_document(keys_document()).sequence]
    for step in (
        lambda: rotate_key(purpose="buyer"),
        lambda: revoke("buyer"),
        lambda: call_command("retirekey", active_key("benchmark").kid),
    ):
        step()
        numbers.append(parse_document(keys_document()).sequence)
    assert numbers == [3, 5, 6, 7]


def test_retiring_says_that_nothing_signs_now(keys: None, capsys: Capture) -> None:
    call_command("retirekey", active_key("buyer").kid)
    assert "newkey --purpose buyer" in capsys.readouterr().out
    assert not SigningKey.objects.filter(purpose="buyer", status="active").exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_rotations_at_once_one_is_refused() -> None:
    make_keys()
    with transaction.atomic():
        rotate_key(purpose="buyer")
        second = Rival(lambda: rotate_key(purpose="buyer"))
        assert second.is_waiting()
    assert [type(error) for error in second.finish()] == [KeyLifeError]
    statuses = SigningKey.objects.filter(purpose="buyer").values_list("status", flat=True)
    assert sorted(statuses) == ["active", "retired"]


def test_a_key_in_the_environment_is_taken_and_no_file_is_written(
    keys: None, monkeypatch: pytest.MonkeyPatch, settings: Any, capsys: Capture
) -> None:
    files = set(Path(settings.KEYS_DIR).iterdir())
    kid = given(monkeypatch, Ed25519PrivateKey.from_private_bytes(b"e" * 32))
    call_command("rotatekey", "--purpose", "benchmark")
    assert "private half: TOUCHSTONE_KEY_BENCHMARK" in capsys.readouterr().out
    assert active_key("benchmark").kid == sign().key_id == kid
    assert set(Path(settings.KEYS_DIR).iterdir()) == files


def test_the_key_still_in_the_environment_is_not_its_own_successor(
    keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kid = active_key("benchmark").kid
    given(monkeypatch, private_key(kid=kid, purpose="benchmark"))
    with pytest.raises(KeyExistsError, match="known already: put the new one there"):
        rotate_key(purpose="benchmark")
    assert active_key("benchmark").kid == kid


def test_a_revoked_key_says_what_stops_and_vouches_for_nothing(
    published: PackageVersion, capsys: Capture
) -> None:
    kid = active_key("benchmark").kid
    call_command("revokekey", kid, "--since", SINCE, "--reason", " a laptop was lost ", "--yes")
    said = capsys.readouterr().out
    assert "1 signed by it will no longer hold" in said
    assert "  kimi-k3-8xb300 1.0.0 (published)\n" in said
    key = SigningKey.objects.get(kid=kid)
    assert (key.status, key.revocation_reason) == ("revoked", "a laptop was lost")
    assert key.compromised_since is not None
    assert key.compromised_since.isoformat() == "2026-07-01T00:00:00+00:00"
    with pytest.raises(RevokedKeyError, match="compromised since 2026-07-01"):
        verify_envelope(bytes(Receipt.objects.get().envelope), parse_keys(keys_document()))


def test_nothing_that_a_revoked_key_signed_holds_however_old_it_says_it_is(keys: None) -> None:
    receipt = sign()
    revoke_key(kid=receipt.key_id, compromised_since=timezone.now(), reason="lost")
    with pytest.raises(RevokedKeyError):
        verify_envelope(bytes(receipt.envelope), parse_keys(keys_document()))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--reason", "x"], "--since"),
        (["--since", SINCE], "--reason"),
        (["--since", "lately", "--reason", "x"], "'lately' is no time such as"),
        (["--since", "2026-07-01", "--reason", "x"], "say the zone too"),
        (["--since", SINCE, "--reason", " "], "reason: say why"),
        (["--since", "2999-01-01T00:00:00Z", "--reason", "x"], "since: lies in the future"),
    ],
)
def test_revoking_needs_a_moment_and_a_reason(
    keys: None, arguments: list[str], reason: str
) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("revokekey", active_key("buyer").kid, *arguments, "--yes")
    assert SigningKey.objects.filter(status="active").count() == len(SigningKey.Purpose)


@pytest.mark.parametrize(
    ("terminal", "answer", "status"),
    [(False, "", "active"), (True, "yes", "active"), (True, "revoke", "revoked")],
)
def test_revoking_asks_a_person_first(
    keys: None, monkeypatch: pytest.MonkeyPatch, terminal: bool, answer: str, status: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: terminal)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    key = active_key("buyer")
    arguments = ["revokekey", key.kid, "--since", SINCE, "--reason", "lost"]
    if status == "revoked":
        call_command(*arguments)
    else:
        with pytest.raises(CommandError, match=r"nobody to ask|nothing was changed"):
            call_command(*arguments)
    key.refresh_from_db()
    assert key.status == status


def test_a_step_that_does_not_fit_says_why(keys: None) -> None:
    kid = revoke("buyer").kid
    with pytest.raises(CommandError, match="is revoked: only an active key can be retired"):
        call_command("retirekey", kid)
    with pytest.raises(CommandError, match="no key has the id"):
        call_command("retirekey", "nobody")
    with pytest.raises(CommandError, match="no active key to rotate"):
        call_command("rotatekey", "--purpose", "buyer")
    with pytest.raises(KeyLifeError, match="revoked already"):
        revoke_key(kid=kid, compromised_since=timezone.now() - timedelta(days=1), reason="x")
