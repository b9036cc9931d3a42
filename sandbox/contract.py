"""Checks a request against the typed params that the Stripe SDK publishes (`stripe.params`).

The params are TypedDicts, read by introspection, so the contract is the SDK's own and nothing
is listed by hand. Form values arrive as strings and leave as the declared types.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from stripe import RequestOptions, StripeContext, StripeObject
from typing_extensions import is_typeddict

from sandbox.errors import ApiError, missing, unknown
from sandbox.scalars import metadata, scalar

Params = dict[str, Any]
# The SDK's params classes also carry the caller's own options; those never travel as parameters.
_OPTIONS = frozenset(RequestOptions.__annotations__)
_LABELS = {str: "string", int: "integer", bool: "boolean"}
_NAMES = {"StripeContext": StripeContext, "Mapping": Mapping}


def check(params_class: type, values: Mapping[str, Any]) -> Params:
    """Return `values` with the types that `params_class` declares.

    An emptied parameter becomes None. Raises ApiError (400) that names the parameter in Stripe's
    notation: unknown, missing, empty, or of the wrong type.
    """
    return _object(params_class, values, "")


@cache
def _fields(params_class: type) -> dict[str, Any]:
    hints = get_type_hints(params_class, localns=_NAMES)
    return {name: hint for name, hint in hints.items() if name not in _OPTIONS}


def _object(params_class: type, values: Any, path: str) -> Params:
    if not isinstance(values, Mapping):
        raise _invalid("object", path)
    fields = _fields(params_class)
    for name in values:
        if name not in fields:
            raise unknown(_join(path, name))
    required: frozenset[str] = getattr(params_class, "__required_keys__", frozenset())
    for name in sorted(required - _OPTIONS):
        if name not in values:
            raise missing(_join(path, name))
    return {name: _value(fields[name], value, _join(path, name)) for name, value in values.items()}


def _value(hint: Any, value: Any, path: str) -> Any:
    arms = _arms(hint)
    words = [word for arm in arms if get_origin(arm) is Literal for word in get_args(arm)]
    if value == "":
        return _emptied(words, arms, path)
    if value in [str(word) for word in words if not isinstance(word, bool)]:
        return value
    others = [arm for arm in arms if get_origin(arm) is not Literal]
    if any(words):
        # The SDK widens each enumeration with `str` so that old clients read new answers;
        # the API itself takes the listed words only.
        others = [arm for arm in others if arm is not str]
    if not others:
        raise _not_listed(words, path)
    return _first_fit(others, value, path)


def _arms(hint: Any) -> tuple[Any, ...]:
    arms = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    # The SDK's own object stands beside each mapping as a convenience; on the wire it is one.
    return tuple(arm for arm in arms if not _is_sdk_object(get_origin(arm)))


def _is_sdk_object(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, StripeObject)


def _emptied(words: list[Any], arms: tuple[Any, ...], path: str) -> None:
    if "" in words or any(_is_mapping(arm) for arm in arms):
        return
    name = path.rpartition("[")[2].rstrip("]")
    raise ApiError(
        f"You passed an empty string for '{path}'. We assume empty values are an attempt to unset"
        f" a parameter; however '{name}' cannot be unset. You should remove '{path}' from your"
        " request or supply a non-empty value.",
        code="parameter_invalid_empty",
        param=path,
    )


def _first_fit(arms: list[Any], value: Any, path: str) -> Any:
    """Return the reading of the first arm that takes the value; the shapes decide the order."""
    by_shape = sorted(arms, key=lambda arm: _takes(arm, value), reverse=True)
    failure: ApiError | None = None
    for arm in by_shape:
        try:
            return _single(arm, value, path)
        except ApiError as error:
            failure = failure or error
    raise failure or _invalid("value", path)


def _takes(arm: Any, value: Any) -> bool:
    if isinstance(value, list):
        return get_origin(arm) is list
    return isinstance(value, Mapping) == (is_typeddict(arm) or _is_mapping(arm))


def _single(arm: Any, value: Any, path: str) -> Any:
    if is_typeddict(arm):
        return _object(arm, value, path)
    if get_origin(arm) is list:
        return _list(arm, value, path)
    if _is_mapping(arm):
        return _mapping(arm, value, path)
    if isinstance(value, Mapping | list):
        raise _invalid(_LABELS.get(arm, "value"), path)
    return scalar(arm, value, path)


def _is_mapping(arm: Any) -> bool:
    return get_origin(arm) is dict


def _list(arm: Any, value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise _invalid("array", path)
    (item,) = get_args(arm)
    return [_value(item, entry, f"{path}[{index}]") for index, entry in enumerate(value)]


def _mapping(arm: Any, value: Any, path: str) -> Params:
    if isinstance(value, list):
        # Keys that are all digits decode to a list; here they were meant as keys.
        value = {str(index): entry for index, entry in enumerate(value)}
    if not isinstance(value, Mapping):
        raise _invalid("object", path)
    _, item = get_args(arm)
    if item is not str:
        return {name: _value(item, entry, _join(path, name)) for name, entry in value.items()}
    return metadata(value, path)


def _invalid(what: str, path: str) -> ApiError:
    return ApiError(f"Invalid {what}: {path or 'the request'}", param=path or None)


def _not_listed(words: list[Any], path: str) -> ApiError:
    names = [str(word) for word in words if word != ""]
    listed = f"{', '.join(names[:-1])}, or {names[-1]}" if names[1:] else "".join(names)
    return ApiError(f"Invalid {path}: must be one of {listed}", param=path)


def _join(path: str, name: str) -> str:
    return f"{path}[{name}]" if path else name
