"""keys.json as a whole: every key, and a number that grows with each change."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.keys import MAX_BYTES, KeysError, PublicKey, parse_keys, to_entry
from touchstone.strictjson import StrictJsonError, load_object


@dataclass(frozen=True, slots=True)
class KeyDocument:
    """The keys that a store published, and which state of them this is."""

    sequence: int
    keys: tuple[PublicKey, ...]


def build_document(keys: Sequence[PublicKey]) -> bytes:
    """Write keys.json. The same keys in the same order give the same bytes."""
    entries = [to_entry(key) for key in keys]
    return json.dumps({"sequence": sequence_of(keys), "keys": entries}, indent=2).encode()


def sequence_of(keys: Sequence[PublicKey]) -> int:
    """Count the steps of all lives: a key is made, it gets an end, it is revoked.

    No step can be taken back, so an older document always has a smaller number.
    """
    return sum(1 + (key.not_after is not None) + (key.status == "revoked") for key in keys)


def parse_document(raw: bytes) -> KeyDocument:
    """Read keys.json with its sequence. Raises KeysError; a plain JWK set has no sequence."""
    keys = tuple(parse_keys(raw))
    try:
        sequence = load_object(raw, limit=MAX_BYTES).get("sequence")
    except StrictJsonError as error:
        raise KeysError(f"keys: {error}") from error
    # A bool is an int to isinstance, and 1.0 equals 1.
    if type(sequence) is not int or sequence < 0:
        raise KeysError("sequence: must be a whole number")
    return KeyDocument(sequence=sequence, keys=keys)
