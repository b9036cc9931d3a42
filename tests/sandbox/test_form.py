"""Stripe's form encoding."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stripe._encode import _api_encode  # the SDK's own encoder is what must be read back

from sandbox.errors import ApiError
from sandbox.form import decode

_NAMES = st.text("abcdefgh_", min_size=1, max_size=6)
_VALUES = st.recursive(
    st.text(max_size=8),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(_NAMES, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(_NAMES, _VALUES, max_size=4))
def test_what_the_sdk_encodes_is_read_back(params: dict[str, object]) -> None:
    assert decode(urlencode(list(_api_encode(params)))) == params


def test_list_entries_follow_their_indices_not_their_order() -> None:
    assert decode("a[1]=second&a[0]=first") == {"a": ["first", "second"]}


@pytest.mark.parametrize("body", ["a=1&a[b]=2", "a[b]=2&a=1", "a[b=1", "[]=1"])
def test_a_key_that_cannot_be_read_is_refused(body: str) -> None:
    with pytest.raises(ApiError) as refusal:
        decode(body)
    assert refusal.value.status == 400
