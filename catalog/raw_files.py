"""Raw files of the benchmark tools: read for publishing, and kept for everybody to check."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from touchstone.benchmarks import LARGEST

from catalog.definition import Definition
from catalog.kits import KitRefused, read_file
from receipts.models import RawFile

# Tools write down how they reached the server; what opened its door is nobody else's.
SECRET_FIELD = re.compile(
    r"(api|admin)_?key|authorization|(access|bearer|auth|hf)_?token|password", re.IGNORECASE
)


def read_raw_files(folder: Path, definition: Definition) -> dict[str, bytes]:
    """Every raw file that a definition lists, by its path.

    Raises KitRefused where one is missing, too large, holds a secret or has another digest.
    """
    found: dict[str, bytes] = {}
    for at, file in enumerate(definition.raw_files):
        content = read_file(folder / file.path, f"raw_files[{at}].path: {file.path}")
        if len(content) > LARGEST:
            raise KitRefused(f"raw_files[{at}].path: {file.path} is larger than {LARGEST} bytes")
        digest = hashlib.sha256(content).hexdigest()
        if digest != file.sha256:
            raise KitRefused(
                f"raw_files[{at}].sha256: is {file.sha256}, but {file.path} has {digest}"
            )
        _refuse_secret_fields(f"raw_files[{at}].path: {file.path}", content)
        found[file.path] = content
    return found


def public_texts(raw: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files as they are, and the text in them without the escapes of JSON.

    What is withheld must be in neither.
    """
    public = dict(raw)
    for path, content in raw.items():
        inside = (text for document in _documents(content) for text in texts(document))
        public[f"{path} (its text)"] = "\n".join(inside).encode(errors="replace")
    return public


def store_raw_files(raw: Mapping[str, bytes]) -> None:
    """Keep these files; one that is there already stays."""
    RawFile.objects.bulk_create(
        (
            RawFile(sha256=hashlib.sha256(content).hexdigest(), content=content)
            for content in raw.values()
        ),
        ignore_conflicts=True,
    )


def texts(value: object) -> Iterator[str]:
    """Every text in plain data, without the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def _documents(content: bytes) -> Iterator[object]:
    """The JSON of a file, whole or line by line; text that is none is left to other checks."""
    for part in (content, *content.split(b"\n")):
        try:
            yield json.loads(part)
        except (ValueError, RecursionError):
            continue


def _refuse_secret_fields(name: str, content: bytes) -> None:
    for document in _documents(content):
        for field, value in _fields(document):
            if SECRET_FIELD.fullmatch(field) and isinstance(value, str) and value:
                raise KitRefused(
                    f"{name}: holds a value of {field}; measure with none, or with one that is gone"
                )


def _fields(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        yield from value.items()
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _fields(each)
