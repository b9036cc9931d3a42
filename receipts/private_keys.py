"""Where private halves live: one PEM file a key, or the environment. Never the database.

A KMS joins here. All that signing asks of a private half is `sign(data)` and `public_key()`: let
`private_key` return a subclass of cryptography's Ed25519PrivateKey that asks the KMS for both, and
`create_key` take the public half from it. The whole message is signed, so a service must take
messages as long as a receipt, which is tens of kilobytes.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from touchstone.keys import thumbprint

from receipts.models import SigningKey


class PrivateKeyError(Exception):
    """The private half of a signing key is missing, unreadable, or of another key."""


def private_key(*, kid: str, purpose: str) -> Ed25519PrivateKey:
    """The private half of key `kid`.

    Looks at the environment (TOUCHSTONE_KEY_<PURPOSE>, a PKCS#8 PEM), then at
    `<KEYS_DIR>/<kid>.pem`. Raises PrivateKeyError.
    """
    if given := private_key_of_environment(purpose):
        return _of(given, kid=kid, source=_variable(purpose))
    path = key_path(kid)
    try:
        return _of(load_private_key(path.read_bytes(), path.name), kid=kid, source=path.name)
    except OSError as error:
        raise PrivateKeyError(
            f"the private half of {purpose} key {kid} is neither in {_variable(purpose)} nor in "
            f"{path.name} under KEYS_DIR"
        ) from error


def private_key_of_environment(purpose: str) -> Ed25519PrivateKey | None:
    """The private half that the purpose's variable holds, if it is set. Raises PrivateKeyError."""
    variable = _variable(purpose)
    pem = os.environ.get(variable)
    return load_private_key(os.fsencode(pem), variable) if pem else None


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


def whereabouts(key: SigningKey) -> str:
    """Where the private half of a key is looked for, in words for a person."""
    variable = _variable(key.purpose)
    return variable if os.environ.get(variable) else str(key_path(key.kid))


def key_path(kid: str) -> Path:
    """The file of a key's private half."""
    return Path(settings.KEYS_DIR) / f"{kid}.pem"


def _variable(purpose: str) -> str:
    return f"TOUCHSTONE_KEY_{purpose.upper()}"


def load_private_key(pem: bytes, source: str) -> Ed25519PrivateKey:
    """Read an unencrypted PKCS#8 PEM; `source` names it in PrivateKeyError, which is raised."""
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The cause is not chained: its text may quote key material.
        raise PrivateKeyError(f"{source} holds no unencrypted PKCS#8 PEM key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise PrivateKeyError(f"{source} holds a key that is not Ed25519")
    return key


def _of(key: Ed25519PrivateKey, *, kid: str, source: str) -> Ed25519PrivateKey:
    if thumbprint(key.public_key()) != kid:
        raise PrivateKeyError(f"{source} holds another key than {kid}")
    return key
