"""Hostile bundles: each is refused with a reason, in bounded memory, without a traceback."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from touchstone import bundle as limits
from touchstone.cli import main
from touchstone.report import Report
from touchstone.verifying_bundle import verify_bundle

from tests.verifier.kits import KEYS

ROOT = "evidence-00000000-0000-4000-8000-000000000000"


def pack(files: dict[str, bytes], *, kind: bytes = tarfile.REGTYPE) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "" if kind == tarfile.REGTYPE else "elsewhere"
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(out.getvalue())


def check(path: Path, raw: bytes) -> Report:
    path.write_bytes(raw)
    return verify_bundle(bundle=path, keys=KEYS)


ATTACKS = {
    "nothing": (b"", "cut short"),
    "no gzip": (b"x" * 100, "not intact gzip"),
    "cut": (pack({f"{ROOT}/a": os.urandom(4096)})[:-2000], "cut short"),
    "appended": (pack({f"{ROOT}/a": b""}) + b"x", "after the end"),
    "no file": (pack({}), "one folder"),
    "another folder": (pack({"kit-1.0.0/a": b""}), "one folder"),
    "two folders": (pack({f"{ROOT}/a": b"", f"{ROOT[:-1]}1/a": b""}), "one folder"),
    "a file for a folder": (pack({ROOT: b""}), "not a folder"),
    "a way out": (pack({f"{ROOT}/../a": b""}), "'..'"),
    "a link": (pack({f"{ROOT}/a": b""}, kind=tarfile.SYMTYPE), "symbolic link"),
    "a device": (pack({f"{ROOT}/a": b""}, kind=tarfile.CHRTYPE), "a device"),
    "one name twice": (pack({f"{ROOT}/a": b"", f"{ROOT}/A": b""}), "where case is folded"),
    "too many": (pack({f"{ROOT}/{n}": b"" for n in range(2001)}), "more than 2000"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_archive_is_refused_with_a_reason(tmp_path: Path, attack: str) -> None:
    raw, why = ATTACKS[attack]
    [only] = check(tmp_path / "bundle", raw).checks
    assert (only.name, only.outcome) == ("bundle", "fails")
    assert why in only.detail


def test_a_bomb_is_refused_before_it_swells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)
    [only] = check(tmp_path / "bundle", pack({f"{ROOT}/a": bytes(2 << 20)})).checks
    assert "unpacks to more than" in only.detail


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "keys").write_bytes(KEYS)
    argv = ["verify", "--bundle", str(tmp_path / "pipe"), "--keys", str(tmp_path / "keys")]
    assert main(argv) == 2


NAMES = [
    "SHA256SUMS",
    "keys.json",
    "keys.dsse.json",
    "root.json",
    "root.pem",
    "terms.md",
    "signature.json",
    "payments.json",
    "downloads.json",
    "downloads.csv",
    "licence-receipt.json",
    "licence-receipt.pem",
    "versions/1.0.0/benchmark-receipt.json",
    "versions/1.0.0/buyer-receipt.json",
    "versions/1.0.0/x.bound",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["purchase", "payments", "keys", "payload", "id", "paid_by", "kind", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
)
CONTENT = st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode())


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(NAMES), CONTENT, min_size=1))
def test_whatever_the_files_hold_the_report_says_that_it_does_not_hold(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    raw = pack({f"{ROOT}/{name}": content for name, content in files.items()})
    report = check(tmp_path / "bundle", raw)
    assert report.exit_code == 1
    assert report.as_text()
