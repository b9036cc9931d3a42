"""DSSE envelopes (secure-systems-lab/dsse, v1.0.2) around in-toto statements, with pure Ed25519."""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from touchstone import b64
from touchstone.errors import TouchstoneError
from touchstone.keys import PublicKey, thumbprint
from touchstone.strictjson import StrictJsonError, load_object
from touchstone.times import format_time

PAYLOAD_TYPE = "application/vnd.in-toto+json"
BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
MAX_BYTES = 4 << 20


class EnvelopeError(TouchstoneError):
    """The envelope is malformed; the message names the field."""


class SignatureError(TouchstoneError):
    """The envelope is well formed, but no trusted key vouches for it."""


class WrongPurposeError(SignatureError):
    """The signature is arithmetically right, but its key is for another kind of receipt."""


class RevokedKeyError(SignatureError):
    """The signature is arithmetically right, but its key's owner has revoked the key."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An envelope as read: nothing in it is to be believed before `verify_envelope`."""

    payload: bytes
    signature: bytes
    keyid: str | None


@dataclass(frozen=True, slots=True)
class Verified:
    """Exactly the bytes that were signed, and the key that signed them."""

    payload: bytes
    key: PublicKey


def pae(payload_type: str, body: bytes) -> bytes:
    """Join type and body into the bytes that DSSE signs: the pre-authentication encoding."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)


def sign_payload(
    payload: bytes, private_key: Ed25519PrivateKey, *, payload_type: str = PAYLOAD_TYPE
) -> bytes:
    """Sign a payload and return the envelope's bytes. Keep and serve these, never a re-dump."""
    signature = private_key.sign(pae(payload_type, payload))
    keyid = thumbprint(private_key.public_key())
    envelope = {
        "payload": b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [{"keyid": keyid, "sig": b64encode(signature).decode()}],
    }
    return json.dumps(envelope).encode() + b"\n"


def sigstore_bundle(envelope: bytes) -> bytes:
    """Wrap an envelope's own bytes as a Sigstore bundle v0.3. Raises EnvelopeError."""
    material = {"publicKey": {"hint": parse_envelope(envelope).keyid or ""}, "tlogEntries": []}
    opening = json.dumps({"mediaType": BUNDLE_TYPE, "verificationMaterial": material})
    return opening[:-1].encode() + b', "dsseEnvelope": ' + envelope.strip() + b"}\n"


def parse_envelope(raw: bytes, *, payload_type: str = PAYLOAD_TYPE) -> Envelope:
    """Read a DSSE envelope, bare or inside a Sigstore bundle v0.3. Raises EnvelopeError.

    Fields it does not know are ignored, as DSSE asks; exactly one signature is accepted.
    """
    try:
        document = load_object(raw, limit=MAX_BYTES)
    except StrictJsonError as error:
        raise EnvelopeError(f"envelope: {error}") from error
    fields = _unwrap(document)
    if fields.get("payloadType") != payload_type:
        raise EnvelopeError(f"payloadType: must be {payload_type}")
    signature = _only_signature(fields.get("signatures"))
    keyid = signature.get("keyid")
    if keyid is not None and not isinstance(keyid, str):
        raise EnvelopeError("signatures[0].keyid: must be a string")
    return Envelope(
        payload=_decode(fields.get("payload"), "payload"),
        signature=_decode(signature.get("sig"), "signatures[0].sig"),
        keyid=keyid or None,
    )


def verify_envelope(
    raw: bytes,
    keys: Sequence[PublicKey],
    *,
    purpose: str | None = None,
    payload_type: str = PAYLOAD_TYPE,
) -> Verified:
    """Return the signed payload and its key, trying every trusted key.

    The key id is an unauthenticated hint, so it decides nothing. Retired keys verify. With
    `purpose`, a key that says it is for another one does not. Raises EnvelopeError,
    SignatureError, WrongPurposeError, or RevokedKeyError.
    """
    envelope = parse_envelope(raw, payload_type=payload_type)
    message = pae(payload_type, envelope.payload)
    for key in keys:
        if _signed_by(key, envelope.signature, message):
            _refuse_revoked(key)
            _refuse_other_purpose(key, purpose)
            return Verified(payload=envelope.payload, key=key)
    raise SignatureError(_no_key_verifies(envelope, keys))


def _unwrap(document: dict[str, object]) -> dict[str, object]:
    if "mediaType" not in document:
        return document
    if document["mediaType"] != BUNDLE_TYPE:
        raise EnvelopeError(f"mediaType: must be {BUNDLE_TYPE}")
    envelope = document.get("dsseEnvelope")
    if not isinstance(envelope, dict):
        raise EnvelopeError("dsseEnvelope: must be an object")
    return envelope


def _only_signature(signatures: object) -> dict[str, object]:
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise EnvelopeError("signatures: must be a list of exactly one")
    signature = signatures[0]
    if not isinstance(signature, dict):
        raise EnvelopeError("signatures[0]: must be an object")
    return signature


def _decode(value: object, field: str) -> bytes:
    if not isinstance(value, str):
        raise EnvelopeError(f"{field}: must be a base64 string")
    try:
        return b64.decode(value)
    except ValueError as error:
        raise EnvelopeError(f"{field}: not base64: {error}") from error


def _signed_by(key: PublicKey, signature: bytes, message: bytes) -> bool:
    try:
        key.key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _refuse_revoked(key: PublicKey) -> None:
    if key.status != "revoked":
        return
    since = key.compromised_since
    when = f"; compromised since {format_time(since)}" if since else ""
    raise RevokedKeyError(f"signed by the revoked key {key.kid}{when}")


def _refuse_other_purpose(key: PublicKey, purpose: str | None) -> None:
    if purpose and key.purpose and key.purpose != purpose:
        raise WrongPurposeError(
            f"signed by key {key.kid}, which is for {key.purpose} receipts, not {purpose} receipts"
        )


def _no_key_verifies(envelope: Envelope, keys: Sequence[PublicKey]) -> str:
    if not keys:
        return "no Ed25519 key was given to verify with"
    if envelope.keyid in {key.kid for key in keys}:
        return f"the receipt or its signature was altered: key {envelope.keyid} did not sign it"
    named = (envelope.keyid or "none")[:64]  # unsigned, and of any length
    return f"signed by none of the {len(keys)} trusted keys; the receipt names {named}"
