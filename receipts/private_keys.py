"""Where private halves live: one PEM file a key, or the environment. Never the database.

A KMS joins here: give `private_key` another way to find a key by its id and purpose.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from touchstone.keys import thumbprint


class PrivateKeyError(Exception):
    """The private half of a signing key is missing, unreadable, or of another key."""


def private_key(*, kid: str, purpose: str) -> Ed25519PrivateKey:
    """The private half of key `kid`.

    Looks at the environment (TOUCHSTONE_KEY_<PURPOSE>, a PKCS#8 PEM), then at
    `<KEYS_DIR>/<kid>.pem`. Raises PrivateKeyError.
    """
    variable = f"TOUCHSTONE_KEY_{purpose.upper()}"
    if pem := os.environ.get(variable):
        return _load(os.fsencode(pem), kid=kid, source=variable)
    path = key_path(kid)
    try:
        return _load(path.read_bytes(), kid=kid, source=path.name)
    except OSError as error:
        raise PrivateKeyError(
            f"the private half of {purpose} key {kid} is neither in {variable} nor in "
            f"{path.name} under KEYS_DIR"
        ) from error


def store_private_key(private: Ed25519PrivateKey) -> Path:
    """Write a new key's private half, readable by its owner alone; returns the path."""
    path = key_path(thumbprint(private.public_key()))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    pem = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    return path


def key_path(kid: str) -> Path:
    """The file of a key's private half."""
    return Path(settings.KEYS_DIR) / f"{kid}.pem"


def _load(pem: bytes, *, kid: str, source: str) -> Ed25519PrivateKey:
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The cause is not chained: its text may quote key material.
        raise PrivateKeyError(f"{source} holds no unencrypted PKCS#8 PEM key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise PrivateKeyError(f"{source} holds a key that is not Ed25519")
    if thumbprint(key.public_key()) != kid:
        raise PrivateKeyError(f"{source} holds another key than {kid}")
    return key
