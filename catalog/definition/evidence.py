"""What stands behind the figures: raw files of the tools, and reasons for what looks wrong."""

import re
from typing import Annotated

from pydantic import AfterValidator

from .fields import Line, OptionalItems, Section, Sha256, Slug, Text

RAW_FOLDER = "raw"


def _raw_path(text: str) -> str:
    # Nothing else of the folder may be published: some of it is withheld.
    if not re.fullmatch(rf"{RAW_FOLDER}/[A-Za-z0-9][A-Za-z0-9._-]{{0,99}}", text):
        raise ValueError(
            f"must be {RAW_FOLDER}/ and a name of letters, digits, dots, hyphens and underscores"
        )
    return text


RawPath = Annotated[Line, AfterValidator(_raw_path)]


class Supplied(Section):
    """Something the file of a tool does not say, as the person who imported it stated it."""

    name: Slug
    value: Line


class RawFile(Section):
    """A file that a benchmark tool wrote, kept and served as it is."""

    path: RawPath
    sha256: Sha256
    tool: Line
    tool_version: Line
    supplied: OptionalItems[Supplied] = ()

    @property
    def name(self) -> str:
        """The name of the file alone."""
        return self.path.removeprefix(f"{RAW_FOLDER}/")


class AcceptedFinding(Section):
    """Why a figure that breaks an identity is published all the same.

    ``path`` names the figure as a claim check does, such as ``serving_curve[0].tpot``.
    """

    identity: Slug
    path: Line
    reason: Text
