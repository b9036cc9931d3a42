"""YAML as a definition may use it: plain data, exact numbers, nothing that expands.

PyYAML's safe loader still takes duplicate keys, follows aliases (a small file can expand to
gigabytes), and turns 11.13 into a binary double. Here numbers with a fraction or an exponent
become ``Decimal``, read as in YAML 1.2, and what a definition has no use for is refused.
"""

import re
from datetime import date
from decimal import Decimal
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode

LARGEST = 256 * 1024  # bytes
DEEPEST = 12
LONGEST_NUMBER = 40  # characters


class YamlError(ValueError):
    """The text is no acceptable YAML; the message names the line and the rule."""


def read_yaml(raw: bytes) -> Any:
    """Return the one document in these bytes.

    :raises YamlError: for broken YAML, a repeated key, an alias, a tag, or too much of it.
    """
    if len(raw) > LARGEST:
        raise YamlError(f"must be at most {LARGEST} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise YamlError(f"must be UTF-8 text; byte {error.start} is not") from None
    try:
        _check_events(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 -- a SafeLoader, see below
    except yaml.MarkedYAMLError as error:
        raise YamlError(_describe(error)) from None
    except yaml.YAMLError:
        raise YamlError("must hold printable characters only") from None


def _describe(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}: " if mark else ""
    return f"{where}{error.problem or error.context}"


def _check_events(text: str) -> None:
    """Refuse before anything is built: composing is recursive and an alias expands there."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlError(f"line {line}: anchors and aliases are refused; write it out")
        if getattr(event, "tag", None):
            raise YamlError(f"line {line}: tags are refused; write the plain value")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise YamlError(f"line {line}: nested deeper than {DEEPEST} levels")


class _Loader(yaml.SafeLoader):
    """A safe loader with resolvers of its own: no ``yes`` as a bool, no ``1:30`` as a number."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def construct_mapping(self, node: MappingNode, deep: bool = True) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise yaml.MarkedYAMLError(
                    problem="a key must be text", problem_mark=key.start_mark
                )
            if key.value in seen:
                problem = f"the key {key.value!r} is there twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _number(_: yaml.SafeLoader, node: ScalarNode) -> int | Decimal:
    text = node.value.replace("_", "")
    if len(text) > LONGEST_NUMBER:
        raise yaml.MarkedYAMLError(problem="the number is too long", problem_mark=node.start_mark)
    if node.tag.endswith(":int"):
        return int(text)
    return Decimal(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


def _date(_: yaml.SafeLoader, node: ScalarNode) -> date:
    try:
        return date.fromisoformat(node.value)
    except ValueError:
        problem = "there is no such day"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from None


RESOLVERS = [
    ("null", r"null|~|", ["n", "~", ""], _Loader.construct_yaml_null),
    ("bool", r"true|false", list("tf"), _Loader.construct_yaml_bool),
    ("int", r"[-+]?[0-9][0-9_]*", list("-+0123456789"), _number),
    (
        "float",
        r"[-+]?([0-9][0-9_]*(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]{1,3})?|[-+]?\.(inf|nan)",
        list("-+.0123456789"),
        _number,
    ),
    ("timestamp", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", list("0123456789"), _date),
]
for _kind, _pattern, _first, _construct in RESOLVERS:
    _tag = f"tag:yaml.org,2002:{_kind}"
    _expression = re.compile(f"(?:{_pattern})\\Z", re.IGNORECASE | re.ASCII)
    _Loader.add_implicit_resolver(_tag, _expression, _first)
    _Loader.add_constructor(_tag, _construct)
