"""Where the weights come from, what is withheld, and what only stands in for something."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from .fields import Count, FolderPath, Line, OptionalItems, Section, Slug, Text


def _commit(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}", text, re.ASCII):
        raise ValueError(
            "must be a commit of 40 lower-case hex digits; a branch or a tag can be moved"
        )
    return text


def _says_stand_in(text: str) -> str:
    if "stand-in" not in text.lower():
        raise ValueError('must contain the words "stand-in", because pages show it as it is')
    return text


Commit = Annotated[str, AfterValidator(_commit)]


class Upstream(Section):
    """The repository of the weights at one immutable revision."""

    repository: Line
    revision: Commit
    stand_in: bool
    note: Text | None = None


class Weights(Section):
    """The weights that the buyer fetches upstream; a kit never holds a byte of them."""

    total: Line
    shards: Count
    quantised: bool
    weight_bytes_in_kit: Literal[0]
    sums: Literal["weights/SHA256SUMS"]


class Withheld(Section):
    """Files of the package folder that the public never sees; the buyer receipt delivers them."""

    runtime_build_record: FolderPath
    serve_command: FolderPath
    also: OptionalItems[Text] = ()


class StandIn(Section):
    """Something that nobody has published, with the wording that every page shows for it."""

    key: Slug
    wording: Annotated[Text, AfterValidator(_says_stand_in)]
