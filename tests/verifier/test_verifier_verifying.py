"""`touchstone verify`: each claim of the receipt, each file of the kit, and the exit code."""

import json
from pathlib import Path

import pytest
from touchstone.cli import main
from touchstone.envelope import sign_payload, sigstore_bundle
from touchstone.keys import PublicKey
from touchstone.statement import BUYER_RECEIPT, Subject, build_statement

from tests.verifier.kits import (
    KEYS,
    KIT,
    RECEIPT,
    SELLER,
    STRANGER,
    by_words,
    keys_of,
    kit_files,
    listed,
    pack,
    receipt_for,
    subjects_of,
    verify,
)

SUBJECTS = subjects_of(KIT, kit_files())
Capture = pytest.CaptureFixture[str]


def test_a_whole_kit_holds_and_every_claim_is_listed(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in lines[:-1]] == ["holds"] * 8
    assert lines[-1] == "Everything holds: 8 checks."


def test_a_sigstore_bundle_serves_as_receipt(tmp_path: Path) -> None:
    assert verify(tmp_path, receipt=sigstore_bundle(RECEIPT)) == 0


def test_a_retired_key_still_vouches(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path, keys=keys_of(PublicKey(SELLER.public_key(), status="retired"))) == 0
    assert "by the retired key" in capsys.readouterr().out


def test_a_revoked_key_does_not(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path, keys=keys_of(PublicKey(SELLER.public_key(), status="revoked"))) == 1
    assert "FAILS  signature: signed by the revoked key" in capsys.readouterr().out


@pytest.mark.parametrize("purpose", ["benchmark", None])
def test_a_key_for_benchmark_receipts_or_for_anything_vouches(
    tmp_path: Path, purpose: str | None
) -> None:
    assert verify(tmp_path, keys=keys_of(PublicKey(SELLER.public_key(), purpose=purpose))) == 0


@pytest.mark.parametrize("purpose", ["buyer", "licence", "Benchmark"])
def test_a_key_for_other_receipts_does_not(tmp_path: Path, capsys: Capture, purpose: str) -> None:
    assert verify(tmp_path, keys=keys_of(PublicKey(SELLER.public_key(), purpose=purpose))) == 1
    out = capsys.readouterr().out
    assert f"which is for {purpose} receipts, not benchmark receipts" in out
    assert "?????  subjects" in out


def test_another_key_does_not_hold_and_leaves_the_subjects_unchecked(
    tmp_path: Path, capsys: Capture
) -> None:
    assert verify(tmp_path, keys=keys_of(PublicKey(STRANGER.public_key()))) == 1
    out = capsys.readouterr().out
    assert "FAILS  signature: signed by none of the 1 trusted keys" in out
    assert "?????  subjects" in out


def test_a_good_signature_on_another_kit_does_not_hold(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path, kit=pack(listed({**kit_files(), "README.md": b"Other.\n"}))) == 1
    assert "FAILS  subject tiny-1x1-1.0.0.tar.gz: the receipt says" in capsys.readouterr().out


@pytest.mark.parametrize("at", [0, 1, 2])
def test_every_subject_is_compared(tmp_path: Path, capsys: Capture, at: int) -> None:
    subjects = list(SUBJECTS)
    subjects[at] = Subject(subjects[at].name, "0" * 64)
    assert verify(tmp_path, receipt=receipt_for(KIT, subjects)) == 1
    assert f"FAILS  subject {subjects[at].name}: the receipt says 000" in capsys.readouterr().out


@pytest.mark.parametrize("at", [1, 2])
def test_a_list_that_the_receipt_leaves_out_does_not_hold(
    tmp_path: Path, capsys: Capture, at: int
) -> None:
    subjects = [subject for index, subject in enumerate(SUBJECTS) if index != at]
    assert verify(tmp_path, receipt=receipt_for(KIT, subjects)) == 1
    assert f"subject {SUBJECTS[at].name}: the receipt does not name it" in capsys.readouterr().out


def test_a_subject_that_cannot_be_compared_does_not_hold(tmp_path: Path, capsys: Capture) -> None:
    subjects = [*SUBJECTS, Subject("weights.bin", "0" * 64)]
    assert verify(tmp_path, receipt=receipt_for(KIT, subjects)) == 1
    assert "FAILS  subject weights.bin: nothing in a kit" in capsys.readouterr().out


def test_a_kit_under_another_name_does_not_hold(tmp_path: Path, capsys: Capture) -> None:
    subjects = [Subject("other-9.tar.gz", SUBJECTS[0].sha256), *SUBJECTS[1:]]
    assert verify(tmp_path, receipt=receipt_for(KIT, subjects)) == 1
    assert "this kit unpacks to tiny-1x1-1.0.0/" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        ({"kit": {"size": len(KIT) + 1}}, "the receipt says"),
        ({"kit": {"size": float(len(KIT))}}, "must be a whole number"),
        ({"kit": {"size": True}}, "must be a whole number"),
        ({"kit": 7}, "must be a whole number"),
        ({}, "must be a whole number"),
    ],
)
def test_the_size_must_be_the_kits(
    tmp_path: Path, capsys: Capture, predicate: dict[str, object], reason: str
) -> None:
    statement = build_statement(
        subjects=SUBJECTS,
        predicate_type="https://touchstone.example/benchmark-receipt/v1",
        predicate=predicate,
    )
    assert verify(tmp_path, receipt=sign_payload(statement, SELLER)) == 1
    [line] = [line for line in capsys.readouterr().out.splitlines() if " size: " in line]
    assert line.startswith("FAILS")
    assert reason in line


def test_a_receipt_of_another_kind_does_not_hold(tmp_path: Path, capsys: Capture) -> None:
    statement = build_statement(subjects=SUBJECTS, predicate_type=BUYER_RECEIPT, predicate={})
    assert verify(tmp_path, receipt=sign_payload(statement, SELLER)) == 1
    assert "FAILS  statement: predicateType: must be" in capsys.readouterr().out


def test_a_signed_payload_that_is_no_statement_does_not_hold(
    tmp_path: Path, capsys: Capture
) -> None:
    assert verify(tmp_path, receipt=sign_payload(b"{}", SELLER)) == 1
    assert "FAILS  statement: statement: missing or unknown fields" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"README.md": b"Altered.\n"}, "kit file README.md: its bytes are"),
        ({"README.md": None}, "kit file README.md: listed in SHA256SUMS, but missing"),
        ({"extra": b""}, "kit file extra: in the kit, but not listed"),
        ({"SHA256SUMS": None}, "kit files: SHA256SUMS: missing from the kit"),
        ({"SHA256SUMS": b"x"}, "kit files: SHA256SUMS: line 1"),
        ({"SHA256SUMS": b"0" * 64 + b"  SHA256SUMS\n"}, "SHA256SUMS cannot list itself"),
        ({"weights/SHA256SUMS": None}, "weight lists: weights/SHA256SUMS: missing"),
        ({"weights/upstream.json": None}, "weight lists: weights/upstream.json: missing"),
        ({"weights/upstream.json": b"[]"}, "weight lists: weights/upstream.json: not a JSON"),
        ({"weights/SHA256SUMS": b"0" * 64 + b"  b\n"}, "weight lists: in only one of"),
    ],
    ids=by_words,
)
def test_a_kit_that_contradicts_its_own_lists_does_not_hold(
    tmp_path: Path, capsys: Capture, changes: dict[str, bytes | None], line: str
) -> None:
    files = {n: data for n, data in {**kit_files(), **changes}.items() if data is not None}
    kit = pack(files)
    assert verify(tmp_path, kit=kit, receipt=receipt_for(kit)) == 1
    assert f"FAILS  {line}" in capsys.readouterr().out.replace("kit file SHA256SUMS: ", "")


def test_every_altered_file_is_named(tmp_path: Path, capsys: Capture) -> None:
    kit = pack({**kit_files(), "README.md": b"1", "deploy/interactive/run.sh": b"2"})
    assert verify(tmp_path, kit=kit) == 1
    out = capsys.readouterr().out
    assert "FAILS  kit file README.md" in out
    assert "FAILS  kit file deploy/interactive/run.sh" in out


def test_a_kit_that_cannot_be_read_does_not_hold(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path, kit=KIT[:-9]) == 1
    out = capsys.readouterr().out
    assert "FAILS  kit: cut short" in out
    assert "?????  other subjects" in out


@pytest.mark.parametrize("which", ["kit", "receipt", "keys"])
def test_a_file_that_is_missing_could_not_be_checked(
    tmp_path: Path, capsys: Capture, which: str
) -> None:
    paths = {name: str(tmp_path / name) for name in ("kit", "receipt", "keys")}
    for name, data in {"kit": KIT, "receipt": RECEIPT, "keys": KEYS}.items():
        if name != which:
            Path(paths[name]).write_bytes(data)
    argv = ["verify", paths["kit"], "--receipt", paths["receipt"], "--keys", paths["keys"]]
    assert main(argv) == 2
    assert f"?????  input: {paths[which]}: No such file" in capsys.readouterr().out


def test_a_device_is_not_read_as_a_kit(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "receipt").write_bytes(RECEIPT)
    receipt = str(tmp_path / "receipt")
    assert main(["verify", "/dev/zero", "--receipt", receipt, "--keys", receipt]) == 2
    assert "/dev/zero: not a regular file" in capsys.readouterr().out


def test_an_endless_receipt_is_left_at_the_limit(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "kit").write_bytes(KIT)
    (tmp_path / "keys").write_bytes(KEYS)
    argv = ["verify", f"{tmp_path}/kit", "--receipt", "/dev/zero", "--keys", f"{tmp_path}/keys"]
    assert main(argv) == 1
    assert "FAILS  receipt: envelope: longer than" in capsys.readouterr().out


def test_json_tells_the_same(tmp_path: Path, capsys: Capture) -> None:
    verify(tmp_path, kit=KIT[:-9])
    capsys.readouterr()
    names = [str(tmp_path / name) for name in ("kit", "receipt", "keys")]
    argv = ["verify", names[0], "--receipt", names[1], "--keys", names[2], "--json"]
    assert main(argv) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["outcome"], report["exitCode"]) == ("fails", 1)
    assert {"name", "outcome", "detail"} == set(report["checks"][0])
