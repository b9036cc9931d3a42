"""Public keys as published: a JWK set (RFC 7517, RFC 8037) with status, dates and PEM."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast, get_args

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
)

from touchstone import b64
from touchstone.errors import TouchstoneError
from touchstone.strictjson import StrictJsonError, load_object
from touchstone.times import format_time, parse_time

MAX_BYTES = 1 << 20

Status = Literal["active", "retired", "revoked"]


class KeysError(TouchstoneError):
    """The key document is malformed or contradicts itself; the message names the field."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 public key and what its owner says about it. Moments are in UTC."""

    key: Ed25519PublicKey
    status: Status = "active"
    not_before: datetime | None = None
    not_after: datetime | None = None
    compromised_since: datetime | None = None
    purpose: str | None = None  # what it may sign; None: anything

    @property
    def kid(self) -> str:
        return thumbprint(self.key)

    @property
    def pem(self) -> str:
        """SubjectPublicKeyInfo, as openssl reads it."""
        return self.key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def thumbprint(public_key: Ed25519PublicKey) -> str:
    """Name a key by its RFC 7638 thumbprint: SHA-256, base64url without padding."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": _x(public_key)}
    canonical = json.dumps(members, sort_keys=True, separators=(",", ":"))
    return b64.encode_url(hashlib.sha256(canonical.encode()).digest())


def to_jwk(public_key: Ed25519PublicKey) -> dict[str, str]:
    """Describe a key for a plain JWK set (RFC 8037)."""
    return {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": _x(public_key),
        "alg": "EdDSA",
        "kid": thumbprint(public_key),
    }


def to_entry(key: PublicKey) -> dict[str, str | None]:
    """Describe a key for Touchstone's own document: JWK, purpose, status, dates, and PEM."""
    return {
        **to_jwk(key.key),
        "purpose": key.purpose,
        "status": key.status,
        "notBefore": _written(key.not_before),
        "notAfter": _written(key.not_after),
        "compromisedSince": _written(key.compromised_since),
        "pem": key.pem,
    }


def parse_keys(raw: bytes) -> list[PublicKey]:
    """Read Touchstone's key document or a plain JWK set: `{"keys": [...]}`.

    Keys of other types are passed over, as RFC 7517 asks. Raises KeysError.
    """
    try:
        entries = load_object(raw, limit=MAX_BYTES).get("keys")
    except StrictJsonError as error:
        raise KeysError(f"keys: {error}") from error
    if not isinstance(entries, list):
        raise KeysError('keys: must be a list, as in {"keys": [...]}')
    keys = [_parse_entry(entry, f"keys[{at}]") for at, entry in enumerate(entries)]
    found = [key for key in keys if key is not None]
    if len({key.kid for key in found}) != len(found):
        raise KeysError("keys: the same key is listed twice")
    return found


def _parse_entry(entry: object, where: str) -> PublicKey | None:
    if not isinstance(entry, dict):
        raise KeysError(f"{where}: must be an object")
    if "d" in entry:
        raise KeysError(f"{where}.d: this is a private key; publish only its public half")
    if (entry.get("kty"), entry.get("crv")) != ("OKP", "Ed25519"):
        return None
    key = PublicKey(
        key=_parse_point(entry.get("x"), f"{where}.x"),
        status=_parse_status(entry.get("status", "active"), f"{where}.status"),
        not_before=_parse_moment(entry, "notBefore", where),
        not_after=_parse_moment(entry, "notAfter", where),
        compromised_since=_parse_moment(entry, "compromisedSince", where),
        purpose=_parse_purpose(entry.get("purpose"), f"{where}.purpose"),
    )
    _refuse_contradictions(key, entry, where)
    return key


def _parse_point(x: object, where: str) -> Ed25519PublicKey:
    if not isinstance(x, str):
        raise KeysError(f"{where}: must be a string")
    try:
        return Ed25519PublicKey.from_public_bytes(b64.decode(x))
    except ValueError as error:
        raise KeysError(f"{where}: must be 32 bytes in base64url") from error


def _parse_status(status: object, where: str) -> Status:
    if status not in get_args(Status):
        raise KeysError(f"{where}: must be one of {', '.join(get_args(Status))}")
    return cast("Status", status)


def _parse_purpose(purpose: object, where: str) -> str | None:
    # A purpose of a later version is no fault: its key vouches for nothing that this one reads.
    if purpose is not None and (not isinstance(purpose, str) or not purpose):
        raise KeysError(f"{where}: must be a word such as benchmark, or null")
    return purpose


def _parse_moment(entry: dict[str, object], field: str, where: str) -> datetime | None:
    value = entry.get(field)
    if value is None:
        return None
    try:
        return parse_time(value if isinstance(value, str) else repr(value))
    except ValueError as error:
        raise KeysError(f"{where}.{field}: {error}") from error


def _refuse_contradictions(key: PublicKey, entry: dict[str, object], where: str) -> None:
    if entry.get("kid", key.kid) != key.kid:
        raise KeysError(f"{where}.kid: is not the thumbprint of this key, {key.kid}")
    if entry.get("alg", "EdDSA") not in ("EdDSA", "Ed25519"):
        raise KeysError(f"{where}.alg: must be EdDSA")
    if "pem" in entry and not _is_pem_of(entry["pem"], key):
        raise KeysError(f"{where}.pem: is not this key")
    if key.not_before and key.not_after and key.not_after < key.not_before:
        raise KeysError(f"{where}.notAfter: lies before notBefore")
    if key.compromised_since and key.status != "revoked":
        raise KeysError(f"{where}.status: must be revoked, since compromisedSince is given")


def _is_pem_of(pem: object, key: PublicKey) -> bool:
    try:
        loaded = load_pem_public_key(str(pem).encode())
    except (ValueError, UnsupportedAlgorithm):
        return False
    return isinstance(loaded, Ed25519PublicKey) and thumbprint(loaded) == key.kid


def _x(public_key: Ed25519PublicKey) -> str:
    return b64.encode_url(public_key.public_bytes(Encoding.Raw, PublicFormat.Raw))


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(moment)
