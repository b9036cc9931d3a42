"""keys.json as a whole: a number that only ever grows tells an old one from the current one."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from touchstone.key_document import build_document, parse_document, sequence_of
from touchstone.keys import KeysError, PublicKey

from tests.verifier.kits import SELLER, STRANGER, keys_of

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
ACTIVE = PublicKey(SELLER.public_key(), purpose="benchmark", not_before=NOON)
RETIRED = replace(ACTIVE, status="retired", not_after=NOON)
OTHER = PublicKey(STRANGER.public_key(), purpose="benchmark")
# A life in the order in which Postgres lets it happen.
LIVES = [
    [[], [ACTIVE], [RETIRED], [OTHER, RETIRED]],
    [[ACTIVE], [replace(ACTIVE, status="revoked", compromised_since=NOON)]],
    [[RETIRED], [replace(RETIRED, status="revoked", compromised_since=NOON)]],
]


@pytest.mark.parametrize("life", LIVES)
def test_each_step_of_a_life_makes_the_number_larger(life: list[list[PublicKey]]) -> None:
    numbers = [sequence_of(keys) for keys in life]
    assert numbers == sorted(set(numbers))


def test_the_same_keys_give_the_same_bytes_and_read_back() -> None:
    raw = build_document([OTHER, RETIRED])
    assert raw == build_document([OTHER, RETIRED])
    read = parse_document(raw)
    assert (read.sequence, [key.kid for key in read.keys]) == (3, [OTHER.kid, RETIRED.kid])


@pytest.mark.parametrize("sequence", [None, True, 3.0, "3", -1])
def test_a_number_of_another_shape_is_refused(sequence: object) -> None:
    raw = json.dumps({**json.loads(build_document([ACTIVE])), "sequence": sequence}).encode()
    with pytest.raises(KeysError, match="sequence: must be a whole number"):
        parse_document(raw)


def test_a_plain_jwk_set_has_no_number() -> None:
    with pytest.raises(KeysError, match="sequence"):
        parse_document(keys_of(ACTIVE))
