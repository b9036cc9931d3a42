"""Small files that would be large in memory: left at their limits, in less than 160 MB in all."""

import gzip
import tarfile
from collections.abc import Callable

import pytest
from touchstone.envelope import sign_payload

from tests.hostile import Attacker
from tests.verifier.attacking import VERIFY
from tests.verifier.headers import changed, one, packed
from tests.verifier.kits import (
    KEYS,
    KIT,
    RECEIPT,
    ROOT,
    SELLER,
    kit_files,
    listed,
    pack,
    receipt_for,
    upstream,
)

DOCUMENT = (4 << 20) - 200  # what every document is allowed, nearly
NEST = b"[" * 800 + b"]" * 800  # a list in two bytes, which takes a hundred: the dearest there is
Inputs = dict[str, bytes]


def filled(part: bytes, size: int = DOCUMENT, opening: bytes = b'{"a":[') -> bytes:
    """A JSON object of that size whose one list repeats `part`."""
    # One wide character makes the whole text four bytes a character in memory.
    wide = '"\U0001f600",'.encode()
    return opening + wide + (part + b",") * ((size - 40) // (len(part) + 1)) + b"1]}"


def as_kit(tarball: bytes) -> Inputs:
    return {"kit": tarball, "receipt": receipt_for(tarball)}


def with_list(name: str, content: bytes) -> Inputs:
    """A kit one of whose lists is the bomb, and its own list is right."""
    files = {other: data for other, data in kit_files().items() if other != "SHA256SUMS"}
    return as_kit(pack(listed({**files, name: content})))


def zeros(size: int) -> bytes:
    header = changed(one()[:512], 124, b"77777777777\0")
    return gzip.compress(header + bytes(size), compresslevel=1)


def many(count: int, name: Callable[[int], str], kind: bytes = tarfile.DIRTYPE) -> bytes:
    headers = []
    for number in range(count):
        member = tarfile.TarInfo(f"{ROOT}/{name(number)}")
        member.type = kind
        headers.append(member.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict"))
    return packed(*headers)


def sums() -> bytes:
    return b"".join(b"0" * 64 + b"  %x\n" % n for n in range(DOCUMENT // 73))


BOMBS: dict[str, Callable[[], Inputs]] = {
    "an archive of a gigabyte": lambda: as_kit(zeros(1 << 30)),
    "a gzip in a gzip": lambda: as_kit(gzip.compress(zeros(64 << 20))),
    "a hundred thousand folders": lambda: as_kit(many(100_000, str)),
    "a hundred thousand files": lambda: as_kit(many(100_000, str, tarfile.REGTYPE)),
    "ten thousand deep folders": lambda: as_kit(
        many(9_990, lambda n: "/".join([f"{n:05}" + "q" * 9] * 15))
    ),
    "names that grow when folded": lambda: as_kit(
        many(9_990, lambda n: "/".join([f"{n:05}" + "\u0390" * 4] * 13))
    ),
    "a list of the kit that is too long": lambda: with_list("weights/SHA256SUMS", sums() * 2),
    "lists of many names": lambda: as_kit(
        pack({**kit_files(), "SHA256SUMS": sums(), "weights/SHA256SUMS": sums()})
    ),
    "lists in upstream.json": lambda: with_list("weights/upstream.json", filled(NEST)),
    "files in upstream.json": lambda: with_list(
        "weights/upstream.json", upstream({f"{n:x}": b"" for n in range(100_000)})
    ),
    **{
        f"{name} in the receipt": lambda part=part: {"receipt": filled(part)}  # type: ignore[misc]  # mypy infers no lambda with a default
        for name, part in {
            "nested lists": NEST,
            "nested objects": b'{"":' * 300 + b"1" + b"}" * 300,
            "empty objects": b"{}",
            "empty lists": b"[]",
            "numbers": b"1e9",
            "texts": b'""',
            "short objects": b'{"":1}',
        }.items()
    },
    "nested lists in the payload": lambda: {"receipt": sign_payload(filled(NEST, 3 << 20), SELLER)},
    "nested lists in the keys": lambda: {"keys": filled(NEST, 1 << 20, b'{"keys":[')},
    "a receipt of sixty-four megabytes": lambda: {"receipt": RECEIPT + b" " * (64 << 20)},
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_not_hold_and_does_not_swell(attack: Attacker, name: str) -> None:
    files = {"kit": KIT, "receipt": RECEIPT, "keys": KEYS, **BOMBS[name]()}
    code, _said = attack.apart(VERIFY, files)
    assert code == 1


def test_the_limit_of_memory_is_in_force(attack: Attacker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.hostile.MEGABYTES", 24)
    assert attack.apart(VERIFY, {"kit": KIT, "receipt": RECEIPT, "keys": KEYS})[0] == 2
    monkeypatch.undo()
    assert attack.apart(VERIFY, {"kit": KIT, "receipt": RECEIPT, "keys": KEYS})[0] == 0
