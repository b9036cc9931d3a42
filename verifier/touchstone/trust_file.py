"""The verifier's memory: which root vouches for which store, and the keys it last signed."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from touchstone.errors import TouchstoneError
from touchstone.key_document import build_document
from touchstone.keys import PublicKey, to_jwk
from touchstone.root import SignedKeys, fingerprint, parse_root, verify_keys
from touchstone.strictjson import load_object

MAX_BYTES = 32 << 20
VARIABLE = "TOUCHSTONE_TRUST"

_STRICTEST = ("revoked", "retired", "active")


class TrustFileError(TouchstoneError):
    """The trust file is missing or damaged; the message names it and the way out."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A store's root as it was pinned, and the keys that it last signed, in their envelope."""

    root: Ed25519PublicKey
    envelope: bytes
    signed: SignedKeys
    pinned_at: str
    refreshed_at: str


def trust_path() -> Path:
    """Where the trust file lies: $TOUCHSTONE_TRUST, or below ~/.config."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else Path.home() / ".config" / "touchstone" / "trust.json"


def read_trust(path: Path) -> dict[str, Pinned]:
    """Every pinned store by its origin; none when there is no file. Raises TrustFileError."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TrustFileError(f"{path}: {error.strerror}") from error
    try:
        origins = _origins(load_object(raw, limit=MAX_BYTES))
        return {origin: _read_pinned(entry) for origin, entry in origins.items()}
    except (TouchstoneError, KeyError, TypeError) as error:
        raise TrustFileError(
            f"{path} is damaged ({error}): move it away and run `touchstone trust URL` again"
        ) from error


def write_trust(path: Path, origins: Mapping[str, Pinned]) -> None:
    """Write the whole file or none of it, for its owner alone. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    document = {"version": 1, "origins": {at: _entry(each) for at, each in origins.items()}}
    # Made with mode 600; beside its place, so that putting it there is one step.
    descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        Path(fresh).replace(path)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise


def document_of_all(origins: Mapping[str, Pinned]) -> bytes:
    """One key document with the keys of every pinned store; where two differ, the stricter."""
    found: dict[str, PublicKey] = {}
    for pinned in origins.values():
        for key in pinned.signed.document.keys:
            held = found.setdefault(key.kid, key)
            if _STRICTEST.index(key.status) < _STRICTEST.index(held.status):
                found[key.kid] = key
    return build_document(list(found.values()))


def _origins(document: dict[str, object]) -> dict[str, object]:
    if document["version"] != 1:
        raise TypeError("it is of another version")
    return _object(document["origins"])


def _entry(pinned: Pinned) -> dict[str, object]:
    return {
        "root": {**to_jwk(pinned.root), "fingerprint": fingerprint(pinned.root)},
        "sequence": pinned.signed.document.sequence,
        "signedKeys": pinned.envelope.decode(),
        "pinnedAt": pinned.pinned_at,
        "refreshedAt": pinned.refreshed_at,
    }


def _read_pinned(entry: object) -> Pinned:
    fields = _object(entry)
    root = parse_root(json.dumps(fields["root"]).encode())
    envelope = _text(fields["signedKeys"]).encode()
    return Pinned(
        root=root,
        envelope=envelope,
        signed=verify_keys(envelope, root),
        pinned_at=_text(fields["pinnedAt"]),
        refreshed_at=_text(fields["refreshedAt"]),
    )


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError("an object is missing")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    return value
