"""From a package folder to the kit's tarball."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from touchstone.checksums import format_sums

from catalog.definition import Definition

from .reading import read_file, read_tree, refuse_collisions, refuse_withheld
from .tarball import write_tarball
from .upstream import refuse_other_weights

DOCUMENTS = ("README.md", "PREREQUISITES.md", "LIMITS.md")
SUMS = "SHA256SUMS"
WEIGHT_SUMS = "weights/SHA256SUMS"
UPSTREAM = "weights/upstream.json"


@dataclass(frozen=True, kw_only=True)
class KitFile:
    """One file of a kit: size in bytes, digest in hex."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class BuiltKit:
    """A kit on disk, with the digests that its receipt signs."""

    path: Path
    name: str
    sha256: str
    size: int
    sums_sha256: str
    weights_sha256: str
    files: tuple[KitFile, ...]


def build_kit(
    *,
    folder: Path,
    definition: Definition,
    verifier_source: Path,
    withheld: Mapping[str, bytes],
    public: Mapping[str, bytes],
    destination: Path,
) -> BuiltKit:
    """Build `<slug>-<version>.tar.gz` in the folder `destination`.

    Neither the kit nor the `public` texts beside it may repeat what is `withheld`, both by name.
    Raises KitRefused for what may not go into a kit.
    """
    files = _collect(folder, definition, verifier_source.resolve())
    refuse_collisions(files)
    refuse_withheld({**files, **public}, withheld)
    refuse_other_weights(definition, sums=files[WEIGHT_SUMS], upstream=files[UPSTREAM])
    files[SUMS] = format_sums({name: _sha256(content) for name, content in files.items()})
    path = destination / f"{definition.release}.tar.gz"
    write_tarball(path, root=definition.release, files=files, day=definition.released)
    packed = path.read_bytes()
    return BuiltKit(
        path=path,
        name=path.name,
        sha256=_sha256(packed),
        size=len(packed),
        sums_sha256=_sha256(files[SUMS]),
        weights_sha256=_sha256(files[WEIGHT_SUMS]),
        files=tuple(
            KitFile(name=name, size=len(content), sha256=_sha256(content))
            for name, content in sorted(files.items())
        ),
    )


def _collect(folder: Path, definition: Definition, verifier_source: Path) -> dict[str, bytes]:
    names = [*DOCUMENTS, WEIGHT_SUMS, UPSTREAM]
    files = {name: read_file(folder / name, name) for name in names}
    for profile in definition.profile_names:
        prefix = f"deploy/{profile}"
        files |= read_tree(folder / "deploy" / profile, prefix)
    return files | _verifier(verifier_source)


def _verifier(source: Path) -> dict[str, bytes]:
    # Only what the buyer needs: caches and build leftovers of a checkout stay out.
    paths = [source / "pyproject.toml", source / "README.md"]
    package = source / "touchstone"
    paths += sorted([*package.rglob("*.py"), package / "py.typed"])
    files = {}
    for path in paths:
        name = f"verifier/{path.relative_to(source).as_posix()}"
        files[name] = read_file(path, name)
    return files


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
