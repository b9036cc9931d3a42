"""Lists: filters that compare fields, and pages by `limit`, `starting_after`, `ending_before`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from sandbox.errors import ApiError, no_such, not_simulated
from sandbox.shapes import Json, list_of

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGING = ("limit", "starting_after", "ending_before", "expand")
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
_DEFAULT_LIMIT, _LARGEST_LIMIT = 10, 100
# Filters whose name is not the field they look at.
_PLACES = {
    ("invoice", "subscription"): ("parent", "subscription_details", "subscription"),
    ("event", "types"): ("type",),
    ("price", "lookup_keys"): ("lookup_key",),
    ("product", "ids"): ("id",),
}
# Filters of subscriptions that look at any of their items.
_OF_ITEMS: dict[str, Callable[[Json], Any]] = {
    "price": lambda item: item["price"]["id"],
    "plan": lambda item: item["plan"]["id"],
    "current_period_end": operator.itemgetter("current_period_end"),
    "current_period_start": operator.itemgetter("current_period_start"),
}
# Words that stand for several statuses; `all` for every one.
_GROUPS: dict[str, tuple[str, ...]] = {"all": (), "ended": ("canceled", "incomplete_expired")}


def page(kind: str, url: str, objects: list[Json], params: Json) -> Json:
    """Return one page of `objects`, which come newest first, as Stripe's list object.

    Raises ApiError (400) for a limit outside 1 to 100 or a cursor that is not in the list.
    """
    limit = params.get("limit", _DEFAULT_LIMIT)
    if not 1 <= limit <= _LARGEST_LIMIT:
        raise ApiError(f"Invalid limit: must be from 1 to {_LARGEST_LIMIT}", param="limit")
    filters = {name: value for name, value in params.items() if name not in _PAGING}
    kept = [obj for obj in objects if _matches(kind, obj, filters)]
    if "ending_before" in params:
        before = kept[: _index(kind, kept, params, "ending_before")]
        return list_of(url, before[-limit:], has_more=len(before) > limit)
    start = _index(kind, kept, params, "starting_after") + 1 if "starting_after" in params else 0
    return list_of(url, kept[start : start + limit], has_more=len(kept) > start + limit)


def _index(kind: str, objects: list[Json], params: Json, name: str) -> int:
    for index, obj in enumerate(objects):
        if obj["id"] == params[name]:
            return index
    raise no_such(kind, params[name], name, status=400)


def _matches(kind: str, obj: Json, filters: Json) -> bool:
    if kind == "subscription" and "status" not in filters and obj["status"] == "canceled":
        return False  # Stripe lists canceled subscriptions only when they are asked for.
    return all(_fits(kind, obj, name, wanted) for name, wanted in filters.items())


def _fits(kind: str, obj: Json, name: str, wanted: Any) -> bool:
    if kind == "subscription" and name in _OF_ITEMS:
        return any(_is(kind, name, _OF_ITEMS[name](i), wanted) for i in obj["items"]["data"])
    if (kind, name) == ("subscription", "status") and wanted in _GROUPS:
        return obj["status"] in (_GROUPS[wanted] or (obj["status"],))
    value: Any = obj
    for part in _PLACES.get((kind, name), (name,)):
        if not isinstance(value, dict) or part not in value:
            raise not_simulated(name, "as a filter")
        value = value[part]
    return _is(kind, name, value, wanted)


def _is(kind: str, name: str, value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return _compares(value, wanted)
    if name == "type" and kind == "event" and wanted.endswith(".*"):
        return str(value).startswith(wanted[:-1])
    return value in wanted if isinstance(wanted, list) else value == wanted


def _compares(value: Any, wanted: Json) -> bool:
    """Compare a time against bounds (`created[gte]`), or an object against some of its fields."""
    if isinstance(value, int):
        return all(_COMPARISONS[name](value, bound) for name, bound in wanted.items())
    return isinstance(value, dict) and all(value.get(name) == want for name, want in wanted.items())
