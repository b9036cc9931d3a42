"""The offline root over keys.json: made, used and kept elsewhere; its signatures are stored here.

The store never holds the root's private half. Only a demo names a file of it, in ROOT_KEY_FILE.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.db import transaction
from touchstone.errors import TouchstoneError
from touchstone.root import load_root, sign_keys, verify_keys

from receipts.keys import keys_document
from receipts.locking import lock_exclusively
from receipts.models import SignedKeys, SigningKey


class RootRefused(Exception):
    """The root or its signature is not taken; the message says why."""


def make_root(*, path: Path) -> Ed25519PublicKey:
    """Make a root: private half to a new file for its owner alone, public half beside it (.pub).

    Raises RootRefused for a place that the store itself reads, and when the file exists.
    """
    inside = Path(settings.KEYS_DIR).resolve()
    if inside in (path.resolve(), *path.resolve().parents):
        raise RootRefused(f"{path}: lies in KEYS_DIR; whoever gets its keys must not get the root")
    root = Ed25519PrivateKey.generate()
    pem = root.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = root.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for place, content, mode in ((path, pem, 0o600), (public_path(path), public, 0o644)):
        _write_new(place, content, mode)
    return root.public_key()


def public_path(path: Path) -> Path:
    """Where `make_root` writes the public half."""
    return path.with_name(f"{path.name}.pub")


def sign_current_keys(*, pem: bytes, replace: bool = False) -> tuple[SignedKeys, bool]:
    """Sign keys.json as it is now; returns the row and whether it is new.

    Raises RootRefused. `replace` allows a root other than the one that signed before.
    """
    try:
        root = load_root(pem)
        envelope = sign_keys(keys_document(), root)
    except TouchstoneError as error:
        raise RootRefused(str(error)) from error
    return accept_signed_keys(envelope=envelope, root=root.public_key(), replace=replace)


@transaction.atomic
def accept_signed_keys(
    *, envelope: bytes, root: Ed25519PublicKey | None = None, replace: bool = False
) -> tuple[SignedKeys, bool]:
    """Store what a root signed, if it is the current keys.json; returns the row, and if it is new.

    Without `root` the one that signed before is meant. Raises RootRefused.
    """
    lock_exclusively("receipts.root")
    known = current_root()
    root = root or known
    if root is None:
        raise RootRefused("no root has signed before: give its public half")
    if known is not None and not _same(known, root) and not replace:
        raise RootRefused(
            "another root signed before, and buyers have pinned it: they will refuse this one"
        )
    try:
        signed = verify_keys(envelope, root)
    except TouchstoneError as error:
        raise RootRefused(str(error)) from error
    if signed.raw != keys_document():
        raise RootRefused("keys.json has changed since: export it and have it signed again")
    if known is not None and _same(known, root) and (row := current_signed_keys()) is not None:
        return row, False
    row = SignedKeys.objects.create(
        envelope=envelope,
        payload_sha256=hashlib.sha256(signed.raw).hexdigest(),
        sequence=signed.document.sequence,
        root_public_key=root.public_bytes_raw(),
    )
    return row, True


def current_root() -> Ed25519PublicKey | None:
    """The root that signed last, if there is one."""
    newest = SignedKeys.objects.first()
    return newest.root if newest else None


def current_signed_keys() -> SignedKeys | None:
    """What the root signed last, if it is keys.json as it is now."""
    newest = SignedKeys.objects.first()
    digest = hashlib.sha256(keys_document()).hexdigest()
    return newest if newest and newest.payload_sha256 == digest else None


def is_unsigned() -> bool:
    """Whether there are keys that no root vouches for, so that new buyers cannot trust them."""
    return SigningKey.objects.exists() and current_signed_keys() is None


def after_key_change() -> str:
    """Sign with the root if its file is named here, as in a demo; returns what there is to say."""
    file = settings.ROOT_KEY_FILE
    if not file:
        return (
            "keys.json has changed: until the root signs it, no verifier takes it in. "
            "`manage.py export_keys FILE`, then docs/operations.md, the root."
        )
    try:
        sign_current_keys(pem=Path(file).read_bytes())
    except (OSError, RootRefused) as error:
        return f"keys.json has changed and is not signed: ROOT_KEY_FILE: {error}"
    return "keys.json is signed by the root of ROOT_KEY_FILE"


def _same(one: Ed25519PublicKey, other: Ed25519PublicKey) -> bool:
    return one.public_bytes_raw() == other.public_bytes_raw()


def _write_new(path: Path, content: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise RootRefused(f"{path}: exists, and a root is never overwritten") from None
    except OSError as error:
        raise RootRefused(f"{path}: {error.strerror}") from error
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
