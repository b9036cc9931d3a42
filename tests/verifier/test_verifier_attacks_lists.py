"""Lists of weights made to mislead: exit 1 before any file is looked at, never a traceback."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from touchstone.checksums import parse_sums
from touchstone.errors import TouchstoneError

from tests.hostile import Attacker
from tests.verifier.attacking import often
from tests.verifier.kits import SHARDS, sha256, upstream

NOWHERE = "/nonexistent/weights"  # lists that are read lead there, and exit code 2
GOOD = b"".join(f"{sha256(data)}  {name}\n".encode() for name, data in SHARDS.items())
DIGEST = b"0" * 64
ABOUT = json.loads(upstream())
LISTS = {
    "empty": b"",
    "an empty line": GOOD + b"\n",
    "carriage returns": GOOD.replace(b"\n", b"\r\n"),
    "a mark before the text": b"\xef\xbb\xbf" + GOOD,
    "UTF-16": GOOD.decode().encode("utf-16"),
    "no UTF-8": DIGEST + b"  \xff\n",
    "a zero byte": DIGEST + b"  a\0b\n",
    "capitals": GOOD.upper(),
    "one space": DIGEST + b" a\n",
    "a short digest": DIGEST[1:] + b"  a\n",
    "other digits": "０".encode() * 64 + b"  a\n",
    "sha512": DIGEST * 2 + b"  a\n",
    "the format of BSD": b"SHA256 (a) = " + DIGEST + b"\n",
    "an escaped name": b"\\" + DIGEST + b"  a\\nb\n",
    "an absolute name": DIGEST + b"  /etc/passwd\n",
    "a name that climbs": DIGEST + b"  ../../etc/passwd\n",
    "a name twice": DIGEST + b"  a\n" + DIGEST + b"  a\n",
    "a name that moves the cursor": DIGEST + b"  a\x1b[2J\n",
    "a name of a megabyte": DIGEST + b"  " + b"a" * (1 << 20) + b"\n",
    "five megabytes": (DIGEST + b"  a\n") * 80_000,
}
ORIGINS: dict[str, dict[str, object]] = {
    "a branch": {"revision": "main"},
    "a short revision": {"revision": "0" * 39},
    "capitals in the revision": {"revision": "A" * 40},
    "no repository": {"repository": ""},
    "no files": {"files": []},
    "files by name": {"files": {"a": 1}},
    "a negative size": {"files": [{"name": "a", "size": -1}]},
    "a size that is true": {"files": [{"name": "a", "size": True}]},
    "a size with a point": {"files": [{"name": "a", "size": 1.0}]},
    "a name that climbs": {"files": [{"name": "../a", "size": 1}]},
    "a file twice": {"files": [{"name": "a", "size": 1}] * 2},
    "a stand-in in words": {"standIn": "no"},
}


def weights(attack: Attacker, sums: bytes = GOOD, about: bytes = upstream()) -> int:
    files = {"SHA256SUMS": sums, "upstream.json": about}
    return attack(f"weights {NOWHERE} --sums SHA256SUMS", files)[0]


def test_lists_that_are_right_lead_to_the_folder(attack: Attacker) -> None:
    assert weights(attack) == 2


@pytest.mark.parametrize("name", LISTS)
def test_a_misleading_list_of_digests_is_refused(attack: Attacker, name: str) -> None:
    assert weights(attack, sums=LISTS[name]) == 1


@pytest.mark.parametrize("name", ORIGINS)
def test_a_misleading_origin_is_refused(attack: Attacker, name: str) -> None:
    assert weights(attack, about=json.dumps({**ABOUT, **ORIGINS[name]}).encode()) == 1


@often
@given(at=st.integers(0, len(GOOD) - 1), bits=st.integers(1, 255), keep=st.integers(0, len(GOOD)))
def test_a_flipped_or_cut_list_is_refused_or_read_as_it_stands(
    attack: Attacker, at: int, bits: int, keep: int
) -> None:
    flipped = GOOD[:at] + bytes([GOOD[at] ^ bits]) + GOOD[at + 1 :]
    for raw in (flipped, GOOD[:keep]):
        assert weights(attack, sums=raw) == (2 if is_read(raw) else 1)


def is_read(raw: bytes) -> bool:
    """Whether each line still is a digest and a name, by the parser that must not read more."""
    try:
        sums = parse_sums(raw)
    except TouchstoneError:
        return False
    written = b"".join(f"{digest}  {name}\n".encode() for name, digest in sums.items())
    assert written.rstrip(b"\n") == raw.replace(b" *", b"  ").rstrip(b"\n")
    return True


@often
@given(raw=st.binary(max_size=200))
def test_made_up_bytes_are_refused(attack: Attacker, raw: bytes) -> None:
    assert weights(attack, sums=raw) == 1
    assert weights(attack, about=raw) == 1
