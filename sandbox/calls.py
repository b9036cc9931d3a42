"""What a handler is given, and the small questions that many handlers ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandbox.errors import not_simulated
from sandbox.shapes import Json, declares, fill

if TYPE_CHECKING:
    from collections.abc import Collection

    from stripe import StripeObject

    from sandbox.work import Work


@dataclass(frozen=True)
class Call:
    """One checked request: `params` have their types, `id` and `part` are of the address."""

    work: Work
    params: Json
    id: str
    base_url: str
    part: str = ""


def echoed(
    resource: type[StripeObject],
    params: Json,
    *,
    handled: Collection[str],
    refused: Collection[str] = (),
) -> Json:
    """Return the params that simply become fields of the object.

    `handled` are acted on by the caller. Raises ApiError for the rest: a sandbox that took a
    parameter and ignored it would let a wrong integration pass.
    """
    result = {}
    for name, value in params.items():
        if name in handled or name in ("expand", "metadata"):
            continue
        if name in refused or not declares(resource, name):
            raise not_simulated(name)
        result[name] = value
    return result


def merged_metadata(current: Json, params: Json) -> Json:
    """Return metadata after an update: an empty value unsets a key, an emptied field unsets all."""
    if "metadata" not in params:
        return current
    changes = params["metadata"]
    if changes is None:
        return {}
    return {name: text for name, text in {**current, **changes}.items() if text != ""}


def changed(resource: type[StripeObject], obj: Json, changes: Json) -> tuple[Json, Json]:
    """Return the object after `changes`, and what they replaced (for `previous_attributes`)."""
    filled = fill(resource, changes)
    after = {**obj, **{name: filled[name] for name in changes}}
    previous = {name: obj[name] for name in changes if obj[name] != after[name]}
    return after, previous
