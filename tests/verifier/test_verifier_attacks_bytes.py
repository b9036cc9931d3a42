"""Bytes flipped, cut and made up: exit 0, 1 or 2, and 1 wherever anything signed changed."""

import json

from hypothesis import given
from hypothesis import strategies as st
from touchstone.envelope import parse_envelope
from touchstone.errors import TouchstoneError
from touchstone.keys import parse_keys, to_entry

from tests.hostile import Attacker
from tests.verifier.attacking import often, verify
from tests.verifier.kits import KEYS, KIT, RECEIPT

FLIP = st.integers(min_value=1, max_value=255)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def flipped(data: bytes, at: int, bits: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def meaning_of_receipt(raw: bytes) -> object:
    """What a signature covers; the key id is no part of it."""
    try:
        envelope = parse_envelope(raw)
    except TouchstoneError:
        return None
    return envelope.payload, envelope.signature


def meaning_of_keys(raw: bytes) -> object:
    try:
        return [(key.kid, key.status, key.purpose) for key in parse_keys(raw)]
    except TouchstoneError:
        return None


@often
@given(at=st.integers(0, len(KIT) - 1), bits=FLIP)
def test_a_flipped_byte_of_the_kit_never_holds(attack: Attacker, at: int, bits: int) -> None:
    assert verify(attack, kit=flipped(KIT, at, bits)) == 1


@often
@given(at=st.integers(0, len(RECEIPT) - 1), bits=FLIP)
def test_a_flipped_byte_of_what_is_signed_never_holds(attack: Attacker, at: int, bits: int) -> None:
    altered = flipped(RECEIPT, at, bits)
    same = meaning_of_receipt(altered) == meaning_of_receipt(RECEIPT)
    assert verify(attack, receipt=altered) == (0 if same else 1)


def test_only_the_unsigned_hint_and_white_space_may_differ() -> None:
    def harmless(at: int) -> bool:
        flips = (flipped(RECEIPT, at, bits) for bits in (1, 2, 4, 8, 16, 32, 64, 128))
        return any(meaning_of_receipt(raw) == meaning_of_receipt(RECEIPT) for raw in flips)

    changed = "".join(chr(RECEIPT[at]) for at in range(len(RECEIPT)) if harmless(at))
    assert "".join(changed.split()) == "keyid" + str(parse_envelope(RECEIPT).keyid)


@often
@given(at=st.integers(0, len(KEYS) - 1), bits=FLIP)
def test_a_flipped_byte_of_the_key_never_holds(attack: Attacker, at: int, bits: int) -> None:
    altered = flipped(KEYS, at, bits)
    same = meaning_of_keys(altered) == meaning_of_keys(KEYS)
    assert verify(attack, keys=altered) == (0 if same else 1)


@often
@given(keep=st.integers(0, len(KIT) - 1))
def test_a_cut_kit_never_holds(attack: Attacker, keep: int) -> None:
    assert verify(attack, kit=KIT[:keep]) == 1


@often
@given(keep=st.integers(0, len(RECEIPT) - 2))
def test_a_cut_receipt_never_holds(attack: Attacker, keep: int) -> None:
    assert verify(attack, receipt=RECEIPT[:keep]) == 1


@often
@given(raw=st.binary(max_size=200))
def test_made_up_bytes_never_hold(attack: Attacker, raw: bytes) -> None:
    assert verify(attack, kit=raw) == 1
    assert verify(attack, receipt=raw) == 1
    assert verify(attack, keys=raw) == 1


@often
@given(field=st.sampled_from(["payload", "payloadType", "signatures", "mediaType"]), value=JSON)
def test_an_envelope_field_of_any_shape_never_holds(
    attack: Attacker, field: str, value: object
) -> None:
    receipt = json.dumps({**json.loads(RECEIPT), field: value}).encode()
    assert verify(attack, receipt=receipt) == 1


@often
@given(field=st.sampled_from(["kty", "crv", "x", "kid", "alg", "status", "pem"]), value=JSON)
def test_a_key_field_of_any_shape_never_holds(attack: Attacker, field: str, value: object) -> None:
    [key] = parse_keys(KEYS)
    keys = json.dumps({"keys": [{**to_entry(key), field: value}]}).encode()
    assert verify(attack, keys=keys) == 1
