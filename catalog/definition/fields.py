"""The strict base of every section, and the kinds of text that a definition holds."""

import re
from datetime import date
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SEMVER = re.compile(
    r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?",
    re.ASCII,
)
SPAN = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})", re.ASCII)
T = TypeVar("T")


class Section(BaseModel):
    """A part of a definition: immutable, no coercion, no unknown field."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def _clean(text: str) -> str:
    if not text or text != text.strip():
        raise ValueError("must hold text without spaces around it")
    if not all(character.isprintable() for character in text):
        raise ValueError("must be one line of printable characters")
    return text


def _slug(text: str) -> str:
    if not SLUG.fullmatch(text):
        raise ValueError("must be lower-case letters, digits and single hyphens, such as kimi-k3")
    return text


def _semver(text: str) -> str:
    if not SEMVER.fullmatch(text):
        raise ValueError("must be a SemVer version without build metadata, such as 1.0.0")
    return text


def _span(text: str) -> str:
    match = SPAN.fullmatch(text)
    if not match or int(match[1]) >= int(match[2]):
        raise ValueError("must be a range of tokens with the lower end first, such as 33000-36000")
    return text


def _folder_path(text: str) -> str:
    parts = text.split("/")
    if any(part in {"", ".", ".."} for part in parts) or "\\" in text or not text.isascii():
        raise ValueError("must be a relative path inside the package folder, with no . or ..")
    return text


def _day(value: object) -> object:
    """A definition that went through JSON brings its dates as ISO 8601 text."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        return date.fromisoformat(value)
    return value


Line = Annotated[str, Field(max_length=120), AfterValidator(_clean)]
Text = Annotated[str, Field(max_length=1000), AfterValidator(_clean)]
Slug = Annotated[
    str,
    Field(max_length=60, json_schema_extra={"pattern": f"^{SLUG.pattern}$"}),
    AfterValidator(_slug),
]
Version = Annotated[
    str,
    Field(max_length=40, json_schema_extra={"pattern": f"^{SEMVER.pattern}$"}),
    AfterValidator(_semver),
]
TokenSpan = Annotated[
    str, Field(json_schema_extra={"pattern": f"^{SPAN.pattern}$"}), AfterValidator(_span)
]
FolderPath = Annotated[Line, AfterValidator(_folder_path)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Day = Annotated[date, BeforeValidator(_day)]
Count = Annotated[int, Field(ge=1, le=10**12)]
CountFromZero = Annotated[int, Field(ge=0, le=10**12)]

# Lists become tuples, so that a frozen section is frozen all the way down.
Items = Annotated[tuple[T, ...], Field(strict=False, min_length=1, max_length=500)]
OptionalItems = Annotated[tuple[T, ...], Field(strict=False, max_length=500)]
