"""Envelopes made to mislead: what the signature does not cover, and what readers disagree about."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from touchstone.envelope import PAYLOAD_TYPE, pae, parse_envelope, sign_payload, sigstore_bundle

from tests.hostile import Attacker
from tests.verifier.attacking import faults, often, verify
from tests.verifier.ed25519ph import ORDER, sign_prehashed
from tests.verifier.kits import RECEIPT, SELLER, STRANGER

ENVELOPE: dict[str, Any] = json.loads(RECEIPT)
[SIGNATURE] = ENVELOPE["signatures"]
PAYLOAD, SIG = ENVELOPE["payload"], SIGNATURE["sig"]
BODY = parse_envelope(RECEIPT).payload


def envelope(**changed: object) -> bytes:
    return json.dumps({**ENVELOPE, **changed}).encode()


def signed(sig: object, **more: object) -> bytes:
    return envelope(signatures=[{**SIGNATURE, "sig": sig, **more}])


def as_payload(text: str) -> bytes:
    return envelope(payload=text)


def by(signature: bytes) -> bytes:
    return signed(b64encode(signature).decode())


def with_other_s() -> bytes:
    """The same signature with the group's order added to its scalar: the same to a lax reader."""
    raw = b64decode(SIG)
    return raw[:32] + (int.from_bytes(raw[32:], "little") + ORDER).to_bytes(32, "little")


def signed_bytes() -> bytes:
    return pae(PAYLOAD_TYPE, BODY)


MISLEADING = {
    "no signature": envelope(signatures=[]),
    "two good signatures": envelope(signatures=[SIGNATURE, SIGNATURE]),
    "a good and a bad signature": envelope(signatures=[SIGNATURE, {"keyid": "", "sig": SIG[:4]}]),
    "a thousand signatures": envelope(signatures=[SIGNATURE] * 1000),
    "signature of zeros": by(bytes(64)),
    "empty signature": by(b""),
    "signature twice over": by(b64decode(SIG) * 2),
    "another scalar": by(with_other_s()),
    "prehashed": by(sign_prehashed(SELLER.private_bytes_raw(), signed_bytes())),
    "payload signed bare": by(SELLER.sign(BODY)),
    "base64 signed": by(SELLER.sign(pae(PAYLOAD_TYPE, PAYLOAD.encode()))),
    "another version of the encoding": by(SELLER.sign(signed_bytes().replace(b"v1", b"v2", 1))),
    "a stranger under the seller's id": by(STRANGER.sign(signed_bytes())),
    "another payload type": envelope(payloadType="application/vnd.in-toto+json "),
    "payload type in capitals": envelope(payloadType=PAYLOAD_TYPE.upper()),
    "payload type in a list": envelope(payloadType=[PAYLOAD_TYPE]),
    "key in the envelope": signed(SIG, keyid=7),
    "a bundle in a bundle": sigstore_bundle(RECEIPT).replace(
        RECEIPT.strip(), sigstore_bundle(RECEIPT).strip()
    ),
    "a mark before the text": b"\xef\xbb\xbf" + RECEIPT,
    "UTF-16": RECEIPT.decode().encode("utf-16"),
    "UTF-32": RECEIPT.decode().encode("utf-32"),
    "a zero byte": RECEIPT + b"\0",
    "invalid UTF-8": RECEIPT[:-2] + b', "a": "\xff"}',
    "overlong UTF-8": RECEIPT[:-2] + b', "a": "\xc0\xaf"}',
    "half a surrogate": RECEIPT[:-2] + b', "a": "\\ud800"}',
    "half a surrogate as a name": RECEIPT[:-2] + b', "\\udfff": 1}',
    "huge integer": RECEIPT[:-2] + b', "a": ' + b"9" * 100_000 + b"}",
    "huge exponent": RECEIPT[:-2] + b', "a": 1e99999}',
    "not a number": RECEIPT[:-2] + b', "a": NaN}',
    "infinity": RECEIPT[:-2] + b', "a": -Infinity}',
    "two documents": RECEIPT + RECEIPT,
    "a comment": RECEIPT + b"// fine",
    "a comma too many": RECEIPT[:-2] + b",}",
    "single quotes": RECEIPT.replace(b'"', b"'"),
    "a list around it": b"[" + RECEIPT + b"]",
    "ten megabytes of white space": RECEIPT + b" " * (10 << 20),
    "ten megabytes of payload": envelope(payload="A" * (10 << 20)),
    "ten megabytes of signature": signed("A" * (10 << 20)),
    "three megabytes of key id and no signature": signed("", keyid="k" * (3 << 20)),
    "deep lists": b"[" * 1_000_000,
    "deep objects": b'{"a":' * 500_000,
}


@pytest.mark.parametrize("name", MISLEADING)
def test_a_misleading_envelope_does_not_hold(attack: Attacker, name: str) -> None:
    found = faults(attack, receipt=MISLEADING[name])
    assert len(found) == 1
    assert found[0].startswith(("receipt: ", "signature: "))
    assert len(found[0]) < 300


def test_the_prehashed_signature_is_the_one_of_rfc_8032() -> None:
    private = "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42"
    expected = (
        "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41"
        "31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406"
    )
    assert sign_prehashed(bytes.fromhex(private), b"abc").hex() == expected


def repeats(value: object, top: bool = True) -> list[bytes]:
    """Every way to write a document in which one name stands twice, at any level."""
    if isinstance(value, list):
        inner = [(at, text) for at, each in enumerate(value) for text in repeats(each, False)]
        parts = [json.dumps(each).encode() for each in value]
        return [
            b"[" + b",".join([*parts[:at], text, *parts[at + 1 :]]) + b"]" for at, text in inner
        ]
    if not isinstance(value, dict):
        return []
    pairs = [(json.dumps(k).encode() + b":", json.dumps(v).encode()) for k, v in value.items()]
    plain = [name + text for name, text in pairs]
    found = []
    for at, (name, text) in enumerate(pairs):
        for other in (text, b"null", b'"other"'):
            found += [[*plain, name + other], [name + other, *plain]]
        for nested in repeats(list(value.values())[at], False):
            found.append([*plain[:at], name + nested, *plain[at + 1 :]])
    return [b"{" + b",".join(parts) + b"}" for parts in found]


@pytest.mark.parametrize("document", [ENVELOPE, json.loads(sigstore_bundle(RECEIPT))])
def test_a_name_that_stands_twice_never_holds(attack: Attacker, document: object) -> None:
    for raw in repeats(document):
        [fault] = faults(attack, receipt=raw)
        assert "appears twice" in fault


@often
@given(keep=st.integers(0, len(PAYLOAD) - 1), field=st.sampled_from(["payload", "sig"]))
def test_cut_base64_never_holds(attack: Attacker, keep: int, field: str) -> None:
    whole, write = (PAYLOAD, as_payload) if field == "payload" else (SIG, signed)
    cut = whole[: keep % len(whole)]
    # Padding alone may go: readers of DSSE take base64 with and without it.
    assert verify(attack, receipt=write(cut)) == (0 if cut == whole.rstrip("=") else 1)


@pytest.mark.parametrize("field", ["payload", "sig"])
def test_the_last_ten_cuts_of_base64_hold_without_padding_only(
    attack: Attacker, field: str
) -> None:
    whole, write = (PAYLOAD, as_payload) if field == "payload" else (SIG, signed)
    for cut in (whole[:-left] for left in range(1, 11)):
        assert verify(attack, receipt=write(cut)) == (0 if cut == whole.rstrip("=") else 1)


@often
@given(
    at=st.integers(0, len(PAYLOAD)),
    inserted=st.sampled_from([" ", "\n", "\t", "\r\n", "=", "-", "\0", "\u2028", "Ａ", "%3D"]),
)
def test_base64_with_anything_in_it_never_holds(attack: Attacker, at: int, inserted: str) -> None:
    assert verify(attack, receipt=envelope(payload=PAYLOAD[:at] + inserted + PAYLOAD[at:])) == 1
    place = at % (len(SIG) + 1)
    assert verify(attack, receipt=signed(SIG[:place] + inserted + SIG[place:])) == 1


@often
@given(private=st.binary(min_size=32, max_size=32), body=st.binary(max_size=300))
def test_what_anybody_else_signs_never_holds(attack: Attacker, private: bytes, body: bytes) -> None:
    other = Ed25519PrivateKey.from_private_bytes(private)
    assert verify(attack, receipt=sign_payload(body, other)) == 1
    assert verify(attack, receipt=sign_payload(BODY, other)) == 1


@often
@given(
    extra=st.dictionaries(
        st.text(max_size=20).filter(lambda name: name not in {*ENVELOPE, "mediaType"}),
        st.recursive(
            st.none()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
            lambda inner: st.lists(inner, max_size=3),
        ),
    )
)
def test_fields_that_nobody_knows_change_nothing(
    attack: Attacker, extra: dict[str, object]
) -> None:
    # DSSE asks readers to ignore them; they are not signed, and nothing of them is used.
    assert verify(attack, receipt=envelope(**extra)) == 0
