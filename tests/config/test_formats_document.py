"""The commands of docs/formats.md, run as a stranger would copy them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from catalog.models import Kit
from catalog.storing import open_kit
from entitlements.models import BuyerReceipt, Purchase
from receipts.keys import keys_document
from tests.shop import ROOT

RECEIPT, REVEALED = re.findall(
    r"^```sh\n(.*?)^```$", (ROOT / "docs/formats.md").read_text(), re.MULTILINE | re.DOTALL
)
pytestmark = pytest.mark.skipif(
    not all(shutil.which(program) for program in ("openssl", "jq", "basenc")),
    reason="needs openssl, jq and coreutils",
)


@pytest.fixture
def folder(bought: Purchase, tmp_path: Path) -> Path:
    """What a buyer has: kit, both receipts and the keys."""
    kit, benchmark = bought.version.kit, bought.version.benchmark_receipt
    assert isinstance(kit, Kit)
    assert benchmark is not None
    place = tmp_path / "buyer"
    place.mkdir()
    with open_kit(kit) as stored:
        (place / bought.version.kit_name).write_bytes(stored.read())
    revealing = BuyerReceipt.objects.select_related("receipt").get().receipt
    (place / "receipt.json").write_bytes(bytes(benchmark.envelope))
    (place / "buyer-receipt.json").write_bytes(bytes(revealing.envelope))
    (place / "keys.json").write_bytes(keys_document())
    return place


def _run(commands: str, folder: Path) -> str:
    ended = subprocess.run(
        ["sh", "-c", commands], cwd=folder, capture_output=True, text=True, check=False
    )
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("receipt", ["receipt.json", "buyer-receipt.json"])
def test_a_stranger_verifies_a_receipt_and_its_kit(folder: Path, receipt: str) -> None:
    said = _run(RECEIPT.replace("receipt.json", receipt), folder)
    assert "Signature Verified Successfully" in said
    assert "kimi-k3-8xb300-1.0.0.tar.gz: OK" in said


def test_a_stranger_sees_that_the_kit_was_altered(folder: Path) -> None:
    kit = next(folder.glob("*.tar.gz"))
    kit.write_bytes(kit.read_bytes() + b"\0")
    assert "kimi-k3-8xb300-1.0.0.tar.gz: FAILED" in _run(RECEIPT, folder)


def test_a_stranger_sees_that_the_receipt_was_altered(folder: Path) -> None:
    envelope = json.loads((folder / "receipt.json").read_bytes())
    envelope["payload"] = json.loads((folder / "buyer-receipt.json").read_bytes())["payload"]
    (folder / "receipt.json").write_text(json.dumps(envelope))
    assert "Signature Verified Successfully" not in _run(RECEIPT, folder)


def test_a_buyer_sees_that_what_is_revealed_was_bound(folder: Path) -> None:
    assert _run(RECEIPT + REVEALED, folder).splitlines()[-2:] == [
        "runtime_build_record: OK",
        "serve_command: OK",
    ]


def test_a_buyer_sees_that_what_is_revealed_is_something_else(folder: Path) -> None:
    altered = REVEALED.replace('content" revealed', 'content" revealed; printf x')
    assert altered != REVEALED
    said = _run(RECEIPT + altered, folder)
    assert "runtime_build_record: OK" not in said
    assert "serve_command: OK" not in said
