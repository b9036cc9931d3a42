"""Stripe's form encoding: `a[b][0][c]=x` becomes nested mappings and lists of strings."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

from sandbox.errors import ApiError

_KEY = re.compile(r"^([^\[\]]+)((?:\[[^\[\]]*\])*)$")
_PART = re.compile(r"\[([^\[\]]*)\]")
MAX_FIELDS = 1000


def decode(body: str) -> dict[str, Any]:
    """Decode one query string or form body.

    Raises ApiError (400) for a key that cannot be read or that is used in two shapes.
    """
    try:
        pairs = parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise ApiError(f"Invalid form body: more than {MAX_FIELDS} fields.") from error
    root: dict[str, Any] = {}
    for key, value in pairs:
        _place(root, _path(key), value, key)
    return {name: _lists(value) for name, value in root.items()}


def _path(key: str) -> list[str]:
    match = _KEY.match(key)
    if match is None:
        raise ApiError(f"Invalid parameter name: {key}", param=key)
    return [match[1], *_PART.findall(match[2])]


def _place(root: dict[str, Any], path: list[str], value: str, key: str) -> None:
    node = root
    for part in path[:-1]:
        child = node.setdefault(part or str(len(node)), {})
        if not isinstance(child, dict):
            raise ApiError(f"Invalid parameter: {key} is used both as a value and as an object.")
        node = child
    last = path[-1] or str(len(node))
    if isinstance(node.get(last), dict):
        raise ApiError(f"Invalid parameter: {key} is used both as a value and as an object.")
    node[last] = value


def _lists(value: Any) -> Any:
    """Turn mappings whose keys are all indices into lists, in the order of their indices."""
    if not isinstance(value, dict):
        return value
    children = {name: _lists(child) for name, child in value.items()}
    if children and all(name.isdecimal() for name in children):
        return [children[name] for name in sorted(children, key=int)]
    return children
