"""Making signing keys, and the documents in which the world finds them."""

from __future__ import annotations

import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import IntegrityError, transaction
from touchstone.key_document import build_document
from touchstone.keys import PublicKey, thumbprint, to_jwk

from receipts.models import SigningKey
from receipts.private_keys import key_path, private_key_of_environment, store_private_key
from receipts.signals import key_made


class KeyExistsError(Exception):
    """The purpose has an active key already, or this very key is known."""


def create_key(*, purpose: str) -> SigningKey:
    """Make an Ed25519 key: private half to its file, public half to the database.

    When TOUCHSTONE_KEY_<PURPOSE> is set, the key is the one in it, and no file is written.
    Raises KeyExistsError when the purpose has an active key, and PrivateKeyError.
    """
    given = private_key_of_environment(purpose)
    private = given or Ed25519PrivateKey.generate()
    kid = thumbprint(private.public_key())
    if SigningKey.objects.filter(kid=kid).exists():
        raise KeyExistsError(
            f"the key in the environment is {kid}, which is known already: put the new one there"
        )
    if given is None:
        store_private_key(private)
    try:
        with transaction.atomic():
            key = SigningKey.objects.create(
                kid=kid, purpose=purpose, public_key=private.public_key().public_bytes_raw()
            )
            key_made.send(SigningKey, key=key)
    except IntegrityError as error:
        if given is None:
            key_path(kid).unlink(missing_ok=True)
        raise KeyExistsError(f"{purpose} has an active key already") from error
    return key


def active_key(purpose: str) -> SigningKey:
    """The key that signs for a purpose now. Raises SigningKey.DoesNotExist."""
    return SigningKey.objects.get(purpose=purpose, status=SigningKey.Status.ACTIVE)


def trusted_keys() -> list[PublicKey]:
    """Every key there ever was, as the verifier knows it: old receipts verify after rotation."""
    return [key.as_public_key() for key in SigningKey.objects.all()]


def keys_document() -> bytes:
    """keys.json: every key with purpose, status, dates and PEM. Equal keys give equal bytes."""
    return build_document(trusted_keys())


def jwks_document() -> bytes:
    """The plain JWK set (RFC 7517) of the keys that have not been revoked."""
    entries = [to_jwk(key.key) for key in trusted_keys() if key.status != "revoked"]
    return json.dumps({"keys": entries}, indent=2).encode()
