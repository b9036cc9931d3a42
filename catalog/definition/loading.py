"""From a package folder to its validated definition."""

import stat
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .package import Definition
from .problems import DefinitionError, Problem, from_validation
from .yaml_text import LARGEST, YamlError, read_yaml

NAME = "package.yaml"


def load_definition(folder: Path) -> Definition:
    """Read ``package.yaml`` of a package folder.

    :raises DefinitionError: with every problem found: the field's path and the rule.
    """
    return parse_definition(read_definition(folder))


def read_definition(folder: Path) -> bytes:
    """Return the bytes of ``package.yaml``. Raises DefinitionError where there is no such file."""
    try:
        return _read(folder / NAME)
    except (YamlError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DefinitionError([Problem(NAME, reason or "cannot be read")]) from None


def parse_definition(raw: bytes) -> Definition:
    """Read the bytes of a ``package.yaml``.

    :raises DefinitionError: with every problem found: the field's path and the rule.
    """
    try:
        data = read_yaml(raw)
    except YamlError as error:
        raise DefinitionError([Problem(NAME, str(error))]) from None
    return definition_from(data)


def definition_from(data: Any) -> Definition:
    """Validate plain data: from YAML, or what ``Definition.as_data`` gave.

    :raises DefinitionError: with every problem found: the field's path and the rule.
    """
    try:
        return Definition.model_validate(data)
    except ValidationError as error:
        raise from_validation(error) from None


def _read(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):
        raise YamlError("must be a regular file")
    with path.open("rb") as file:
        return file.read(LARGEST + 1)
