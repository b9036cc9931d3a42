"""Write the 96 stand-in shards of this package, and the two lists that describe them.

    python make_stand_in_shards.py DIR            the shards, into DIR
    python make_stand_in_shards.py DIR --lists    and weights/SHA256SUMS, weights/upstream.json

Nobody has published the real shards' digests. These files hold no weights: each is a valid
safetensors file of a few KiB with one tensor of bytes, whose header says STAND-IN. The same
bytes come out on every machine, so the lists in the package folder can be checked against them.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

SHARDS = 96
PACKAGE = "kimi-k3-8xb300"
NOTE = (
    "STAND-IN: nobody has published the upstream repository, its revision or the shards; "
    "these small files are not the weights of Kimi K3."
)
REPOSITORY = "stand-in/kimi-k3"
REVISION = hashlib.sha1(f"STAND-IN upstream revision of {PACKAGE}".encode()).hexdigest()  # noqa: S324 -- forty hex digits like a git commit, no security


def shard_name(number: int) -> str:
    """Name a shard as upstream repositories do, counted from one."""
    return f"model-{number:05}-of-{SHARDS:05}.safetensors"


def shard_bytes(number: int) -> bytes:
    """Return one stand-in: header length, JSON header, then 2048 to 4095 patterned bytes."""
    label = f"STAND-IN shard {number} of {SHARDS} for {PACKAGE}"
    size = 2048 + int.from_bytes(hashlib.sha256(label.encode()).digest()[:2], "big") % 2048
    tensor = {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}
    header = json.dumps({"__metadata__": {"STAND-IN": NOTE, "shard": label}, "stand_in": tensor})
    encoded = header.encode().ljust(-(-len(header) // 8) * 8)
    pattern = f"{label}. {NOTE}\n".encode()
    return len(encoded).to_bytes(8, "little") + encoded + (pattern * size)[:size]


def sums(shards: dict[str, bytes]) -> bytes:
    """List the shards in the format of ``sha256sum``."""
    lines = [f"{hashlib.sha256(raw).hexdigest()}  {name}\n" for name, raw in shards.items()]
    return "".join(lines).encode()


def upstream(shards: dict[str, bytes]) -> bytes:
    """Describe where the shards would come from, marked as a stand-in."""
    document = {
        "repository": REPOSITORY,
        "revision": REVISION,
        "standIn": True,
        "note": NOTE,
        "files": [{"name": name, "size": len(raw)} for name, raw in shards.items()],
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def main() -> int:
    """Write the shards; with ``--lists`` the package's two lists as well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, help="folder for the shards; made when missing")
    parser.add_argument("--lists", action="store_true", help="write the lists in weights/ too")
    options = parser.parse_args()
    shards = {shard_name(number): shard_bytes(number) for number in range(1, SHARDS + 1)}
    options.directory.mkdir(parents=True, exist_ok=True)
    for name, raw in shards.items():
        (options.directory / name).write_bytes(raw)
    if options.lists:
        lists = Path(__file__).parent / "weights"
        lists.mkdir(exist_ok=True)
        (lists / "SHA256SUMS").write_bytes(sums(shards))
        (lists / "upstream.json").write_bytes(upstream(shards))
    sys.stdout.write(f"{len(shards)} stand-in shards are in {options.directory}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
