"""What the account gives a buyer holds together, in the buyer's own command."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from touchstone.cli import main

from catalog.models import Kit
from catalog.storing import open_kit
from entitlements.models import Purchase
from entitlements.outbox import run_due
from licensing.models import User
from receipts.keys import create_key
from tests.people import signed_in
from tests.shop import revoke

Capture = pytest.CaptureFixture[str]


def fetch(folder: Path, bought: Purchase, client: Client) -> list[str]:
    """What the commands of the purchase page fetch; returns the arguments of the last of them."""
    kit, name = bought.version.kit, bought.version.kit_name
    assert isinstance(kit, Kit)
    with open_kit(kit) as stored:
        (folder / name).write_bytes(stored.read())
    page = f"/account/purchases/{bought.pk}/"
    for file, path in {
        "receipt.json": "/packages/kimi-k3-8xb300/1.0.0/receipt.json",
        "keys.json": "/.well-known/touchstone/keys.json",
        "buyer-receipt-1.0.0.json": f"{page}1.0.0/buyer-receipt.json",
    }.items():
        (folder / file).write_bytes(client.get(path).content)
    shown = client.get(page).text
    [line] = [line for line in shown.splitlines() if line.startswith("touchstone verify")]
    return line.split()[1:]


def test_the_commands_of_the_account_hold(
    bought: Purchase,
    owner: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(fetch(tmp_path, bought, signed_in(owner))) == 0
    out = capsys.readouterr().out
    assert "holds  revealed runtime_build_record" in out
    assert "holds  revealed serve_command" in out


@pytest.mark.parametrize("purpose", ["benchmark", "buyer"])
def test_after_a_revocation_only_the_new_receipts_hold(
    bought: Purchase,
    owner: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    purpose: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    revoke(purpose)
    assert main(fetch(tmp_path, bought, signed_in(owner))) == 1
    create_key(purpose=purpose)
    if purpose == "benchmark":
        call_command("reissue_receipt", "kimi-k3-8xb300", "1.0.0")
    run_due()
    assert main(fetch(tmp_path, bought, signed_in(owner))) == 0
