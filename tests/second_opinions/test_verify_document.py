"""Every code block of docs/verify.md, run in order as a stranger would copy it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from touchstone.envelope import sigstore_bundle

from catalog.cards import card_of
from catalog.models import Kit, PackageVersion
from catalog.storing import open_kit
from entitlements.models import BuyerReceipt, Purchase
from receipts.keys import keys_document
from tests.shop import ROOT, SAMPLE

HERE = Path(__file__).parent
BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```$", (ROOT / "docs/verify.md").read_text(), re.MULTILINE | re.DOTALL
)
PROGRAMS = ("openssl", "jq", "basenc", "sha256sum", "tar")
pytestmark = pytest.mark.skipif(
    not all(shutil.which(program) for program in PROGRAMS), reason=f"needs {', '.join(PROGRAMS)}"
)


@pytest.fixture
def folder(bought: Purchase, tmp_path: Path) -> Path:
    """What the document asks for: kit, receipts, keys and weights, and a checkout of this."""
    kit, benchmark = bought.version.kit, bought.version.benchmark_receipt
    assert isinstance(kit, Kit)
    assert benchmark is not None
    place = tmp_path / "buyer"
    script = str(SAMPLE / "make_stand_in_shards.py")
    subprocess.run(
        [sys.executable, script, str(place / "models/kimi-k3")], capture_output=True, check=True
    )
    with open_kit(kit) as stored:
        (place / bought.version.kit_name).write_bytes(stored.read())
    revealing = BuyerReceipt.objects.select_related("receipt").get().receipt
    (place / "receipt.json").write_bytes(bytes(benchmark.envelope))
    (place / "receipt.sigstore.json").write_bytes(sigstore_bundle(bytes(benchmark.envelope)))
    (place / "buyer-receipt.json").write_bytes(bytes(revealing.envelope))
    (place / "keys.json").write_bytes(keys_document())
    (place / "touchstone").symlink_to(ROOT)
    return place


def run(language: str, code: str, folder: Path) -> str:
    programs = {"sh": ["sh", "-c"], "python": [sys.executable, "-c"]}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ended = subprocess.run(
        [*programs[language], code],
        cwd=folder,
        env={**os.environ, "PATH": path, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout + ended.stderr


RUNS = [block for block in BLOCKS if block[0] != "text"]
SHOWN = [code.splitlines() for kind, code in BLOCKS if kind == "text"]
OPENSSL, KIT, WEIGHTS, REVEALED, LIBRARY, NODE, *OURS = range(len(RUNS))


def said(block: int, folder: Path) -> list[str]:
    language, code = RUNS[block]
    return run(language, code, folder).splitlines()


def test_the_document_shows_what_each_block_says() -> None:
    assert [kind == "text" for kind, _ in BLOCKS] == [False, True] * len(RUNS)
    assert "node " in RUNS[NODE][1]


def test_every_block_says_what_the_document_shows(folder: Path) -> None:
    for block in [OPENSSL, KIT, WEIGHTS, REVEALED, LIBRARY, *OURS]:
        found = said(block, folder)
        assert [line for line in SHOWN[block] if line not in found] == [], (block, found)
        assert [line for line in found if "FAILED" in line or "Error" in line] == []


def test_the_block_of_node_says_what_the_document_shows(folder: Path) -> None:
    if not (shutil.which("node") and (HERE / "node_modules").is_dir()):
        pytest.skip("needs node, and once: npm ci --prefix tests/second_opinions")
    said(OPENSSL, folder)
    assert said(NODE, folder) == SHOWN[NODE]


def test_a_buyer_receipt_verifies_by_the_same_commands(folder: Path) -> None:
    kind, code = RUNS[OPENSSL]
    found = run(kind, code.replace("receipt.json", "buyer-receipt.json"), folder).splitlines()
    assert found == SHOWN[OPENSSL]


@pytest.mark.parametrize("page", ["package_url", "receipt_page_url"])
def test_the_pages_show_the_very_commands(
    page: str, published: PackageVersion, client: Client
) -> None:
    shown = client.get(getattr(card_of(published), page)).content.decode()
    assert f"<pre><code>{RUNS[OPENSSL][1].strip()}</code></pre>" in unescape(shown)


def test_the_store_shows_the_whole_document_and_leads_there(
    published: PackageVersion, client: Client
) -> None:
    shown = unescape(client.get("/check/").content.decode())
    assert [code for _kind, code in BLOCKS if code not in shown] == []
    main = shown[shown.index("<main") : shown.index("</main>")]
    assert "<a " not in main  # its links lead to files, which the store does not serve
    assert "<table>" in main
    receipt_page = client.get(card_of(published).receipt_page_url).content.decode()
    assert '<a href="/check/">' in receipt_page


def test_an_altered_kit_is_noticed(folder: Path) -> None:
    kit = next(folder.glob("*.tar.gz"))
    kit.write_bytes(kit.read_bytes() + b"\0")
    assert f"{kit.name}: FAILED" in said(OPENSSL, folder)


def test_another_payload_is_noticed(folder: Path) -> None:
    envelope = json.loads((folder / "receipt.json").read_bytes())
    other = json.loads((folder / "buyer-receipt.json").read_bytes())
    (folder / "receipt.json").write_text(json.dumps({**envelope, "payload": other["payload"]}))
    assert "Signature Verification Failure" in said(OPENSSL, folder)
    assert "VerificationError" in said(LIBRARY, folder)[-1]


def test_an_altered_list_and_an_altered_shard_are_noticed(folder: Path) -> None:
    said(OPENSSL, folder)
    code = RUNS[KIT][1].replace("jq", "echo >> weights/SHA256SUMS; jq", 1)
    assert "weights/SHA256SUMS: FAILED" in run("sh", code, folder).splitlines()
    shard = next((folder / "models/kimi-k3").iterdir())
    shard.write_bytes(shard.read_bytes() + b"\0")
    assert f"{shard.name}: FAILED" in said(WEIGHTS, folder)


def test_something_else_revealed_is_noticed(folder: Path) -> None:
    said(OPENSSL, folder)
    altered = RUNS[REVEALED][1].replace('content" revealed', 'content" revealed; printf x')
    assert altered != RUNS[REVEALED][1]
    assert run("sh", altered, folder) == ""
