"""The one source file of a version: its schema, its rules and how it is read."""

from .loading import definition_from, load_definition, parse_definition, read_definition
from .package import Definition
from .problems import DefinitionError, Problem

__all__ = [
    "Definition",
    "DefinitionError",
    "Problem",
    "definition_from",
    "load_definition",
    "parse_definition",
    "read_definition",
]
