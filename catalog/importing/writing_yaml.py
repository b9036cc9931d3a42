"""Entries of a definition written as YAML, so that what is read back is what was meant."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal

# Text that no reader takes for a number, a date, a bool or null.
PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][a-z0-9_./-]*")


def entry_lines(entry: Mapping[str, object], column: int) -> list[str]:
    """The lines of one entry of a block list whose dashes are in this column."""
    lines: list[str] = []
    for name, value in entry.items():
        if isinstance(value, list):
            lines += [f"{name}:", *(f"  - {_inline(each)}" for each in value)]
        else:
            lines.append(f"{name}: {_inline(value)}")
    indent = " " * column
    return [f"{indent}{'  ' if at else '- '}{line}" for at, line in enumerate(lines)]


def _inline(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_inline(each)}" for name, each in value.items()) + "}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
