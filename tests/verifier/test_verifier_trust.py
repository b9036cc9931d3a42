"""`touchstone trust`: a store's root is pinned once, and what follows must come from it."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from touchstone.cli import main
from touchstone.envelope import sign_payload
from touchstone.fetching import origin_of
from touchstone.key_document import build_document
from touchstone.root import KEYS_TYPE, fingerprint, grouped, root_document, sign_keys
from touchstone.trust_file import read_trust

from tests.verifier.kits import KIT, RECEIPT, SELLER, STRANGER, receipt_for
from tests.verifier.stores import KEY, OTHER_ROOT, REVOKED, ROOT, SECOND, Store

Capture = pytest.CaptureFixture[str]
NAME = fingerprint(ROOT.public_key())


@pytest.fixture
def store() -> Iterator[Store]:
    """A store whose root signed one key."""
    running = Store()
    yield running
    running.close()


@pytest.fixture(autouse=True)
def trust_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trust file of the test, which is not there yet."""
    path = tmp_path / "trusted" / "trust.json"
    monkeypatch.setenv("TOUCHSTONE_TRUST", str(path))
    return path


def pin(store: Store, *arguments: str) -> int:
    return main(["trust", store.url, *arguments])


def verify(folder: Path, receipt: bytes = RECEIPT) -> int:
    """Verify the tiny kit without `--keys`."""
    (folder / "kit").write_bytes(KIT)
    (folder / "receipt").write_bytes(receipt)
    return main(["verify", str(folder / "kit"), "--receipt", str(folder / "receipt")])


def test_a_pinned_store_verifies_offline_ever_after(
    store: Store, tmp_path: Path, trust_file: Path, capsys: Capture
) -> None:
    assert pin(store, "--fingerprint", grouped(NAME).upper()) == 0
    assert grouped(NAME) in capsys.readouterr().out
    store.close()
    assert verify(tmp_path) == 0
    assert stat.S_IMODE(trust_file.stat().st_mode) == 0o600
    entry = json.loads(trust_file.read_text())["origins"][store.url]
    assert (entry["root"]["fingerprint"], entry["sequence"]) == (NAME, 1)


def test_without_a_pinned_store_the_command_names_the_way(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path) == 2
    assert "`touchstone trust URL`" in capsys.readouterr().out


def test_another_fingerprint_than_the_given_one_is_not_pinned(
    store: Store, trust_file: Path, capsys: Capture
) -> None:
    assert pin(store, "--fingerprint", "0" * 64) == 1
    assert "not the one that you gave" in capsys.readouterr().out
    assert not trust_file.exists()


def test_nobody_at_the_terminal_decides_nothing(
    store: Store, trust_file: Path, capsys: Capture
) -> None:
    assert pin(store) == 2
    assert grouped(NAME) in capsys.readouterr().out
    assert not trust_file.exists()
    assert pin(store, "--fingerprint", "short") == 2
    assert "64 hex digits" in capsys.readouterr().out
    assert pin(store, "--yes") == 0


@pytest.mark.parametrize(("answer", "code"), [("yes", 0), ("no", 1), ("", 1)])
def test_a_person_compares_the_fingerprint(
    store: Store,
    trust_file: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    code: int,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stdin.readline", lambda: f"{answer}\n")
    assert pin(store) == code
    asked = " ".join(capsys.readouterr().err.split())
    assert f"The root key of {store.url} has this fingerprint: {grouped(NAME)} Compare" in asked
    assert trust_file.exists() is (code == 0)


def test_asked_again_the_store_gives_its_new_keys_unasked(store: Store, tmp_path: Path) -> None:
    assert pin(store, "--yes") == 0
    store.show([SECOND, KEY])
    assert verify(tmp_path, receipt_for(KIT, key=STRANGER)) == 1
    assert pin(store) == 0
    assert verify(tmp_path, receipt_for(KIT, key=STRANGER)) == 0


def test_a_revocation_arrives(store: Store, tmp_path: Path, capsys: Capture) -> None:
    assert pin(store, "--yes") == 0
    store.show([REVOKED, SECOND])
    assert pin(store) == 0
    assert verify(tmp_path) == 1
    assert "signed by the revoked key" in capsys.readouterr().out


def test_keys_cannot_be_rolled_back(store: Store, tmp_path: Path, capsys: Capture) -> None:
    store.show([REVOKED])
    assert pin(store, "--yes") == 0
    store.show([KEY])
    assert pin(store, "--yes") == 1
    assert "rolled back: the store shows state 1, and you have seen 2" in capsys.readouterr().out
    assert verify(tmp_path) == 1


def test_two_documents_of_one_number_are_refused(store: Store, capsys: Capture) -> None:
    assert pin(store, "--yes") == 0
    store.show([SECOND])
    assert pin(store, "--yes") == 1
    assert "two different documents are called state 1" in capsys.readouterr().out


def test_another_root_is_refused_and_the_first_stays(
    store: Store, tmp_path: Path, trust_file: Path, capsys: Capture
) -> None:
    assert pin(store, "--yes") == 0
    before = trust_file.read_bytes()
    store.show([SECOND, REVOKED], OTHER_ROOT)
    assert pin(store, "--yes") == 1
    assert f"and {grouped(NAME)} was pinned on 20" in capsys.readouterr().out
    assert trust_file.read_bytes() == before
    assert verify(tmp_path) == 0


BODY = build_document([KEY])
SIGNED = sign_keys(BODY, ROOT)
UNSIGNED = {
    "by another root": ("keys.dsse.json", sign_keys(BODY, OTHER_ROOT), "did not sign them"),
    "as a receipt": ("keys.dsse.json", sign_payload(BODY, ROOT), f"must be {KEYS_TYPE}"),
    "altered": ("keys.dsse.json", SIGNED.replace(b'"sig": "', b'"sig": "A'), "signed keys:"),
    "not an envelope": ("keys.dsse.json", b"<html>", "signed keys: envelope: not JSON"),
    "no keys": ("keys.dsse.json", sign_payload(b"{}", ROOT, payload_type=KEYS_TYPE), "keys:"),
    "other keys beside": ("keys.json", build_document([SECOND]), "is not what the root signed"),
    "no root": ("root.json", b"{}", "root: must be an Ed25519 key"),
    "another name": (
        "root.json",
        root_document(ROOT.public_key()).replace(NAME.encode(), b"0" * 64),
        "root.fingerprint: is not of this key",
    ),
}


@pytest.mark.parametrize("case", UNSIGNED)
def test_what_the_root_did_not_sign_is_not_pinned(
    store: Store, trust_file: Path, capsys: Capture, case: str
) -> None:
    name, body, reason = UNSIGNED[case]
    store.put(name, body)
    assert pin(store, "--yes") == 1
    assert reason in capsys.readouterr().out
    assert not trust_file.exists()


def test_a_store_whose_root_has_not_signed_cannot_be_pinned(store: Store, capsys: Capture) -> None:
    store.put("keys.dsse.json", b"The root has not signed the current keys yet.\n", 503)
    assert pin(store, "--yes") == 2
    assert "503, The root has not signed the current keys yet." in capsys.readouterr().out


def test_nothing_is_fetched_from_where_a_store_points_to(store: Store, capsys: Capture) -> None:
    store.put("root.json", b"", 302, Location=f"{store.url}/elsewhere")
    assert pin(store, "--yes") == 2
    assert "root.json: the answer is 302" in capsys.readouterr().out


def test_an_answer_without_end_is_left(
    store: Store, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("root.json", b"x" * 3_000_000)
    assert pin(store, "--yes") == 2
    assert "longer than 2097152 bytes" in capsys.readouterr().out

    def trickle(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(40):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    monkeypatch.setattr("touchstone.fetching.TOTAL_SECONDS", 0.3)
    store.pages["/.well-known/touchstone/root.json"] = trickle
    started = time.monotonic()
    assert pin(store, "--yes") == 2
    assert time.monotonic() - started < 1.5
    assert "not here after 0 seconds" in capsys.readouterr().out


def test_a_store_that_is_silent_or_away_is_left(
    store: Store, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("touchstone.fetching.SILENCE_SECONDS", 0.2)
    store.pages["/.well-known/touchstone/root.json"] = lambda _: time.sleep(1)
    assert pin(store, "--yes") == 2
    assert "timed out" in capsys.readouterr().out
    store.close()
    assert pin(store, "--yes") == 2
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    "url",
    [
        "http://store.example",
        "ftp://store.example",
        "store.example",
        "https://",
        "https://a@b",
        "https://store.example:x",
        "https://[",
        "file:///etc/passwd",
        "http://127.0.0.1.example",
        "",
    ],
)
def test_keys_come_over_https_or_from_this_machine(url: str, capsys: Capture) -> None:
    assert main(["trust", url, "--yes"]) == 2
    assert "?????  trust: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Store.example/any/path?x=1", "https://store.example"),
        ("https://store.example:443", "https://store.example"),
        ("https://store.example:8443/", "https://store.example:8443"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
    ],
)
def test_a_store_is_known_by_its_origin(url: str, origin: str) -> None:
    assert origin_of(url) == origin


def test_every_pinned_store_counts_and_the_stricter_word_about_a_key(
    store: Store, tmp_path: Path
) -> None:
    second = Store()
    try:
        second.show([SECOND], OTHER_ROOT)
        assert pin(store, "--yes") == pin(second, "--yes") == 0
        assert verify(tmp_path) == verify(tmp_path, receipt_for(KIT, key=STRANGER)) == 0
        second.show([SECOND, REVOKED], OTHER_ROOT)
        assert pin(second) == 0
        assert verify(tmp_path, receipt_for(KIT, key=SELLER)) == 1
    finally:
        second.close()


def damage(text: str, what: str) -> str:
    document = json.loads(text)
    [entry] = document["origins"].values()
    if what == "root":
        entry["root"] = json.loads(root_document(OTHER_ROOT.public_key()))
    elif what == "envelope":
        entry["signedKeys"] = entry["signedKeys"].replace('"payload": "', '"payload": "AAAA')
    elif what == "version":
        document["version"] = 2
    elif what == "origins":
        document["origins"] = []
    return json.dumps(document)[: -1 if what == "cut" else None]


@pytest.mark.parametrize("what", ["root", "envelope", "version", "origins", "cut"])
def test_a_damaged_trust_file_decides_nothing(
    store: Store, tmp_path: Path, trust_file: Path, capsys: Capture, what: str
) -> None:
    assert pin(store, "--yes") == 0
    trust_file.write_text(damage(trust_file.read_text(), what))
    capsys.readouterr()
    assert (verify(tmp_path), pin(store, "--yes")) == (2, 2)
    assert capsys.readouterr().out.count("is damaged") == 2


def test_a_trust_file_is_written_whole_or_not_at_all(
    store: Store, trust_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pin(store, "--yes") == 0
    before = trust_file.read_bytes()
    store.show([SECOND, KEY])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device", "disk")

    monkeypatch.setattr("os.fsync", full)
    assert pin(store) == 2
    assert trust_file.read_bytes() == before
    assert list(trust_file.parent.iterdir()) == [trust_file]
    assert read_trust(trust_file)[store.url].signed.document.sequence == 1


def test_json_tells_the_same(store: Store, capsys: Capture) -> None:
    assert pin(store, "--yes", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert [check["name"] for check in report["checks"]] == ["root", "keys", "trust file"]
