"""What stands behind the figures: raw files of the tools, and reasons for what looks wrong."""

from .fields import FolderPath, Line, OptionalItems, Section, Sha256, Slug, Text


class Supplied(Section):
    """Something the file of a tool does not say, as the person who imported it stated it."""

    name: Slug
    value: Line


class RawFile(Section):
    """A file that a benchmark tool wrote, kept and served as it is."""

    path: FolderPath
    sha256: Sha256
    tool: Line
    tool_version: Line
    supplied: OptionalItems[Supplied] = ()


class AcceptedFinding(Section):
    """Why a figure that breaks an identity is published all the same.

    ``path`` names the figure as a claim check does, such as ``serving_curve[0].tpot``.
    """

    identity: Slug
    path: Line
    reason: Text
