"""The offline root: one key that signs keys.json and nothing else, pinned by who verifies."""

import hashlib
import json
import re
from dataclasses import dataclass

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from touchstone.envelope import EnvelopeError, SignatureError, sign_payload, verify_envelope
from touchstone.errors import TouchstoneError
from touchstone.key_document import KeyDocument, parse_document
from touchstone.keys import KeysError, PublicKey, parse_keys, thumbprint, to_jwk
from touchstone.strictjson import StrictJsonError, load_object

KEYS_TYPE = "application/vnd.touchstone.keys+json"
MAX_ROOT = 1 << 16

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


class RootError(TouchstoneError):
    """The root key, or what it should have signed, is not what it must be."""


@dataclass(frozen=True, slots=True)
class SignedKeys:
    """A key document that a root vouches for, and its exact bytes."""

    raw: bytes
    document: KeyDocument


def fingerprint(root: Ed25519PublicKey) -> str:
    """Name a root for people: SHA-256 over its SubjectPublicKeyInfo in DER, as openssl gives it."""
    der = root.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


def grouped(name: str) -> str:
    """Write a fingerprint in groups of four, to be read out and compared."""
    return " ".join(name[at : at + 4] for at in range(0, len(name), 4))


def parse_fingerprint(text: str) -> str:
    """Read a fingerprint as people write it: any case, with spaces or colons. Raises RootError."""
    name = re.sub(r"[\s:]", "", text).lower()
    if not _FINGERPRINT.fullmatch(name):
        raise RootError("fingerprint: must be 64 hex digits")
    return name


def root_document(root: Ed25519PublicKey) -> bytes:
    """Write root.json: the public half as a JWK, and its fingerprint."""
    return json.dumps({**to_jwk(root), "fingerprint": fingerprint(root)}, indent=2).encode()


def parse_root(raw: bytes) -> Ed25519PublicKey:
    """Read root.json. Raises RootError, also when the fingerprint in it is of another key."""
    try:
        entry = load_object(raw, limit=MAX_ROOT)
        [found] = parse_keys(json.dumps({"keys": [entry]}).encode())
    except (StrictJsonError, KeysError) as error:
        raise RootError(f"root: {error}") from error
    except ValueError as error:
        raise RootError("root: must be an Ed25519 key") from error
    if entry.get("fingerprint") != fingerprint(found.key):
        raise RootError("root.fingerprint: is not of this key")
    return found.key


def load_root(pem: bytes) -> Ed25519PrivateKey:
    """Read a root's private half from an unencrypted PKCS#8 PEM. Raises RootError."""
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The cause is not chained: its text may quote key material.
        raise RootError("the root's file holds no unencrypted PKCS#8 PEM key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise RootError("the root's file holds a key that is not Ed25519")
    return key


def sign_keys(raw: bytes, root: Ed25519PrivateKey) -> bytes:
    """Sign keys.json as it is; returns the envelope. Raises KeysError and RootError."""
    document = parse_document(raw)
    if thumbprint(root.public_key()) in {key.kid for key in document.keys}:
        raise RootError("the root is one of the keys that it is to sign: it must be a key apart")
    return sign_payload(raw, root, payload_type=KEYS_TYPE)


def verify_keys(envelope: bytes, root: Ed25519PublicKey) -> SignedKeys:
    """The key document that this very root signed. Raises RootError and KeysError."""
    try:
        verified = verify_envelope(envelope, [PublicKey(root)], payload_type=KEYS_TYPE)
    except EnvelopeError as error:
        raise RootError(f"signed keys: {error}") from error
    except SignatureError as error:
        name = grouped(fingerprint(root))
        raise RootError(f"signed keys: the root {name} did not sign them") from error
    return SignedKeys(verified.payload, parse_document(verified.payload))
