"""What is wrong with a definition: the field's path and the rule that it breaks."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

Location = tuple[str | int, ...]
CLEARER = {
    "missing": "is missing; add it",
    "extra_forbidden": "is not a field of the schema; remove it or correct its name",
}


class Problem(NamedTuple):
    """One broken rule, at a path such as ``serving_curve[2].completed``."""

    path: str
    rule: str

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}"


class DefinitionError(ValueError):
    """The definition is refused; ``problems`` names every field and rule that was found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))


class Broken(NamedTuple):
    """A rule between fields that does not hold, before its path is written out."""

    location: Location
    rule: str


def refuse(broken: Iterable[Broken]) -> None:
    """Raise pydantic's own error for these rules, so that each keeps the path of its field."""
    details = [
        InitErrorDetails(
            type=PydanticCustomError("rule", "{rule}", {"rule": each.rule}),
            loc=each.location,
            input=None,
        )
        for each in broken
    ]
    if details:
        raise ValidationError.from_exception_data("Definition", details)


def from_validation(error: ValidationError) -> DefinitionError:
    """Put pydantic's findings into paths and rules."""
    return DefinitionError(
        [
            Problem(path_text(each["loc"]), CLEARER.get(each["type"], _rule(each["msg"])))
            for each in error.errors(include_url=False, include_input=False)
        ]
    )


def path_text(location: Location) -> str:
    """Write a location as ``section.list[2].field``; tags of unions are no part of it."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not part.startswith("<"):
            name = part if re.fullmatch(r"\w[\w-]{0,59}", part) else json.dumps(part[:60])
            text += f".{name}" if text else name
    return text or "package.yaml"


def _rule(message: str) -> str:
    return message.removeprefix("Value error, ").replace("Input should", "should")
