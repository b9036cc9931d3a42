"""What every rule of the machine is made of: one act, and whether the model allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import transaction
from hypothesis import strategies as st

from tests.entitlements.machine.model import Store

T = TypeVar("T")
# Any number picks one of a list, whatever its length; 0 is the newest.
PLACES = st.integers(0, 3)
PEOPLE = st.sampled_from(["ada", "sam", "tomas", "otto", "uma"])


class Acting:
    """A part of the machine."""

    store: Store


def attempt(
    act: Callable[[], T], *, may: bool, refused: type[Exception] | tuple[type[Exception], ...]
) -> T | None:
    """Do it and give what it made, or None where the model and the product refuse it."""
    try:
        with transaction.atomic():
            made = act()
    except refused as refusal:
        if may:
            raise AssertionError("refused, though nothing is missing") from refusal
        return None
    assert may, "done, though something is missing"
    return made
