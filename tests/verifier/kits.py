"""Small kits, receipts and key documents, made in memory with the standard library's tarfile."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from touchstone.checksums import format_sums
from touchstone.cli import main
from touchstone.envelope import sign_payload
from touchstone.keys import PublicKey, to_entry
from touchstone.statement import BENCHMARK_RECEIPT, Subject, build_statement

ROOT = "tiny-1x1-1.0.0"
SELLER = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
STRANGER = Ed25519PrivateKey.from_private_bytes(b"x" * 32)
SHARDS = {"a-00001.safetensors": b"first shard", "sub/a-00002.safetensors": b"second"}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def upstream(shards: Mapping[str, bytes] = SHARDS) -> bytes:
    files = [{"name": name, "size": len(data)} for name, data in shards.items()]
    about = {"repository": "example/tiny", "revision": "0" * 40, "files": files, "standIn": True}
    return json.dumps(about).encode()


def by_words(value: object) -> str:
    """Name a test's case by its text; bytes and members would make unreadable names."""
    return value if isinstance(value, str) else "input"


def kit_files() -> dict[str, bytes]:
    """The files of a kit that holds, SHA256SUMS last."""
    files = {
        "README.md": b"A kit.\n",
        "deploy/interactive/run.sh": b"#!/bin/sh\n",
        "weights/SHA256SUMS": format_sums({name: sha256(data) for name, data in SHARDS.items()}),
        "weights/upstream.json": upstream(),
    }
    return listed(files)


def listed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files with a SHA256SUMS over them."""
    sums = format_sums({name: sha256(data) for name, data in files.items()})
    return {**files, "SHA256SUMS": sums}


def file_member(name: str, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    return member, data


def special_member(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def pack_members(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member, data in members:
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


def pack(files: Mapping[str, bytes], root: str = ROOT) -> bytes:
    return pack_members(file_member(f"{root}/{name}", data) for name, data in files.items())


def subjects_of(tarball: bytes, files: Mapping[str, bytes]) -> list[Subject]:
    return [
        Subject(f"{ROOT}.tar.gz", sha256(tarball)),
        *(Subject(name, sha256(files[name])) for name in ("SHA256SUMS", "weights/SHA256SUMS")),
    ]


def receipt_for(
    tarball: bytes, subjects: list[Subject] | None = None, key: Ed25519PrivateKey = SELLER
) -> bytes:
    statement = build_statement(
        subjects=subjects or subjects_of(tarball, kit_files()),
        predicate_type=BENCHMARK_RECEIPT,
        predicate={"kit": {"size": len(tarball)}},
    )
    return sign_payload(statement, key)


def keys_of(*keys: PublicKey) -> bytes:
    return json.dumps({"keys": [to_entry(key) for key in keys]}).encode()


KIT = pack(kit_files())
RECEIPT = receipt_for(KIT)
KEYS = keys_of(PublicKey(SELLER.public_key()))


def verify(folder: Path, kit: bytes = KIT, receipt: bytes = RECEIPT, keys: bytes = KEYS) -> int:
    """Run `touchstone verify` on these bytes and give its exit code."""
    for name, data in {"kit": kit, "receipt": receipt, "keys": keys}.items():
        (folder / name).write_bytes(data)
    paths = [str(folder / name) for name in ("kit", "receipt", "keys")]
    return main(["verify", paths[0], "--receipt", paths[1], "--keys", paths[2]])


def lay_out(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
