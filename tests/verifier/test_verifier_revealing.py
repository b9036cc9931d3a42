"""`touchstone verify --buyer-receipt`: what was delivered is what was measured."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from touchstone.cli import main
from touchstone.envelope import sign_payload
from touchstone.keys import PublicKey
from touchstone.statement import BENCHMARK_RECEIPT, BUYER_RECEIPT, Subject, build_statement

from tests.verifier.kits import (
    KIT,
    SELLER,
    STRANGER,
    keys_of,
    kit_files,
    listed,
    pack,
    sha256,
    subjects_of,
)

Capture = pytest.CaptureFixture[str]
SUBJECTS = subjects_of(KIT, kit_files())
ALGORITHM = "sha256(salt || content)"
SECRETS = {"build_record": (b"1" * 32, "gcc 14\n"), "serve_command": (b"2" * 32, "vllm serve –x")}
BUYER = STRANGER
KEYS = keys_of(
    PublicKey(SELLER.public_key(), purpose="benchmark"),
    PublicKey(BUYER.public_key(), purpose="buyer"),
)
COMMITMENTS: dict[str, Any] = {
    name: {"algorithm": ALGORITHM, "digest": hashlib.sha256(salt + text.encode()).hexdigest()}
    for name, (salt, text) in SECRETS.items()
}
REVEALED: dict[str, Any] = {
    name: {"salt": salt.hex(), "content": text} for name, (salt, text) in SECRETS.items()
}


def statement(kind: str, subjects: list[Subject] = SUBJECTS, **predicate: Any) -> bytes:
    return build_statement(subjects=subjects, predicate_type=kind, predicate=predicate)


def benchmark(**changes: Any) -> bytes:
    return statement(
        BENCHMARK_RECEIPT, **({"kit": {"size": len(KIT)}, "commitments": COMMITMENTS} | changes)
    )


def buyer(
    payload: bytes | None = None, subjects: list[Subject] = SUBJECTS, **changes: Any
) -> bytes:
    about = {"benchmark_receipt": {"sha256": sha256(payload or benchmark())}}
    return statement(BUYER_RECEIPT, subjects, **(about | {"revealed": REVEALED} | changes))


def verify(
    folder: Path,
    *,
    public: bytes | None = None,
    private: bytes | None = None,
    key: Ed25519PrivateKey = BUYER,
    kit: bytes = KIT,
) -> int:
    """Run the command on payloads, which it signs."""
    public, private = public or benchmark(), private or buyer(public)
    files = {
        "kit": kit,
        "receipt": sign_payload(public, SELLER),
        "buyer": sign_payload(private, key),
        "keys": KEYS,
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    paths = {name: str(folder / name) for name in files}
    arguments = ["--receipt", paths["receipt"], "--keys", paths["keys"]]
    return main(["verify", paths["kit"], *arguments, "--buyer-receipt", paths["buyer"]])


def test_each_thing_revealed_is_a_line_of_its_own(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path) == 0
    out = capsys.readouterr().out
    for line in (
        "buyer signature: by the active key",
        "buyer statement: a buyer receipt, version 1",
        f"buyer benchmark receipt: payload sha256 {sha256(benchmark())}",
        "buyer subjects: the same 3 as",
        "revealed names: all 2 that are bound",
        "revealed build_record: 7 bytes, bound by",
        "revealed serve_command: 15 bytes, bound by",
    ):
        assert f"holds  {line}" in out


def changed(of: dict[str, Any], name: str, **fields: Any) -> dict[str, Any]:
    return {**of, name: {**of[name], **fields}}


def without(of: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in of.items() if key != name}


NAME = "serve_command"
SALT, TEXT = SECRETS[NAME]
WRONG_REVEALED: list[tuple[Any, str]] = [
    (changed(REVEALED, NAME, content="vllm serve"), f"revealed {NAME}: is not what"),
    (changed(REVEALED, NAME, salt="3" * 64), f"revealed {NAME}: is not what"),
    # The same bytes cut elsewhere: without a salt of one length they would be bound too.
    (
        changed(REVEALED, NAME, salt=(SALT + b"v").hex(), content=TEXT[1:]),
        "salt: must be 32 bytes in lower-case hex",
    ),
    (changed(REVEALED, NAME, salt=SALT.hex().upper() + "AB"), "salt: must be 32 bytes"),
    (changed(REVEALED, NAME, salt=None), "salt: must be 32 bytes"),
    (changed(REVEALED, NAME, content=["x"]), "content: must be text"),
    ({**REVEALED, NAME: "vllm"}, "salt: must be 32 bytes"),
    (without(REVEALED, NAME), f"revealed names: in only one of the receipts: {NAME}"),
    ({**REVEALED, "more": REVEALED[NAME]}, "revealed names: in only one of the receipts: more"),
    ({}, "revealed names: in only one of the receipts"),
    ({NAME: REVEALED["build_record"], "build_record": REVEALED[NAME]}, f"{NAME}: is not what"),
    ([], "revealed: predicate: commitments or revealed is not an object"),
    (None, "revealed: predicate: commitments or revealed is not an object"),
]


@pytest.mark.parametrize(("revealed", "line"), WRONG_REVEALED)
def test_what_was_not_bound_does_not_hold(
    tmp_path: Path, capsys: Capture, revealed: Any, line: str
) -> None:
    assert verify(tmp_path, private=buyer(revealed=revealed)) == 1
    assert line in "".join(x for x in capsys.readouterr().out.splitlines() if x[:5] == "FAILS")


@pytest.mark.parametrize(
    ("commitments", "line"),
    [
        (changed(COMMITMENTS, NAME, algorithm="sha256(content)"), "algorithm: must be sha256(salt"),
        (changed(COMMITMENTS, NAME, digest=None), f"revealed {NAME}: is not what"),
        ({**COMMITMENTS, NAME: 7}, "algorithm: must be"),
        (7, "commitments or revealed is not an object"),
    ],
)
def test_a_commitment_of_another_shape_does_not_hold(
    tmp_path: Path, capsys: Capture, commitments: Any, line: str
) -> None:
    assert verify(tmp_path, public=benchmark(commitments=commitments)) == 1
    assert line in capsys.readouterr().out


def test_a_buyer_receipt_of_another_benchmark_receipt_does_not_hold(
    tmp_path: Path, capsys: Capture
) -> None:
    for reference in ({"sha256": "0" * 64}, {}, "x", None):
        assert verify(tmp_path, private=buyer(benchmark_receipt=reference)) == 1
        assert "FAILS  buyer benchmark receipt: it names" in capsys.readouterr().out


@pytest.mark.parametrize("subjects", [SUBJECTS[:2], [*SUBJECTS[1:], SUBJECTS[0]]])
def test_a_buyer_receipt_of_other_subjects_does_not_hold(
    tmp_path: Path, capsys: Capture, subjects: list[Subject]
) -> None:
    assert verify(tmp_path, private=buyer(subjects=subjects)) == 1
    assert "FAILS  buyer subjects: not those of the benchmark receipt" in capsys.readouterr().out


def test_a_buyer_receipt_is_signed_by_a_buyer_key(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path, key=SELLER) == 1
    out = capsys.readouterr().out
    assert "which is for benchmark receipts, not buyer receipts" in out
    assert "?????  revealed: two receipts that hold are needed" in out


def test_a_benchmark_receipt_in_its_place_does_not_hold(tmp_path: Path, capsys: Capture) -> None:
    assert verify(tmp_path, private=benchmark()) == 1
    assert f"FAILS  buyer statement: predicateType: must be {BUYER_RECEIPT}" in (
        capsys.readouterr().out
    )


def test_another_kit_does_not_hold_whatever_the_receipts_say(tmp_path: Path) -> None:
    assert verify(tmp_path, kit=pack(listed({**kit_files(), "README.md": b"Other.\n"}))) == 1


def test_a_buyer_receipt_that_is_missing_could_not_be_checked(tmp_path: Path) -> None:
    assert verify(tmp_path) == 0
    paths = {name: str(tmp_path / name) for name in ("kit", "receipt", "keys", "none")}
    arguments = ["--receipt", paths["receipt"], "--keys", paths["keys"]]
    assert main(["verify", paths["kit"], *arguments, "--buyer-receipt", paths["none"]]) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(field=st.sampled_from(["benchmark_receipt", "revealed"]), value=JSON)
def test_a_field_of_any_shape_never_holds(tmp_path: Path, field: str, value: Any) -> None:
    assert verify(tmp_path, private=buyer(**{field: value})) == 1
