"""What an import makes of a definition: worked out and validated before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from touchstone.benchmarks import Run, Stated

from catalog.definition import Definition, Problem, parse_definition

from .editing import Edited, edit_definition
from .points import point_of, raw_file_of
from .problems import ImportRefused
from .results import Measured, ResultFile, read_results

LENGTH_TOLERANCE = Decimal("0.05")  # tokenizers and special tokens add a few


@dataclass(frozen=True, kw_only=True)
class Row:
    """One imported point, for the person who imports it."""

    file: str
    run: Run
    point: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The new ``package.yaml``, the raw files that go beside it, and what to know of them."""

    definition: Definition
    package: bytes
    files: tuple[ResultFile, ...]
    released: frozenset[str]  # raw files that the definition no longer lists
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]


def import_results(
    *,
    package: bytes,
    files: Sequence[ResultFile],
    profile: str,
    stated: Stated,
    replace: bool = False,
) -> Imported:
    """Put every run of `files` into the serving curve of a definition, under `profile`.

    Raises ImportRefused with every reason, and DefinitionError for a definition that is wrong
    before or after.
    """
    definition = parse_definition(package)
    if profile not in definition.profile_names:
        known = ", ".join(definition.profile_names)
        raise ImportRefused([Problem("profile", f"must be one of the profiles: {known}")])
    measured = read_results(files, stated)
    if problems := [each for m in measured for each in _misfits(m, definition)]:
        raise ImportRefused(problems)
    gpus = definition.hardware.gpus
    rows = tuple(
        Row(file=m.file.name, run=m.run, point=point_of(m, profile=profile, gpus=gpus))
        for m in measured
    )
    edited = edit_definition(
        package.decode(),
        definition,
        points=[row.point for row in rows],
        raw_files=list({m.file.sha256: raw_file_of(m.file, m.run) for m in measured}.values()),
        replace=replace,
    )
    return Imported(
        definition=edited.definition,
        package=edited.text.encode(),
        files=tuple({m.file.sha256: m.file for m in measured}.values()),
        released=edited.released,
        rows=rows,
        remarks=_remarks(measured, edited, definition),
    )


def _misfits(measured: Measured, definition: Definition) -> list[Problem]:
    """Why this run is no point of this definition."""
    run, name, problems = measured.run, measured.file.name, []
    if run.gpus != definition.hardware.gpus:
        rule = f"{name} was measured on {run.gpus}, but hardware.gpus is {definition.hardware.gpus}"
        problems.append(Problem("gpus", rule))
    protocol = definition.protocols.serving_curve
    lengths = (
        ("prompt_tokens", protocol.prompt_tokens, run.prompt_length),
        ("output_tokens", protocol.output_tokens, run.output_length),
    )
    for field, wanted, length in lengths:
        if length is not None and abs(length - wanted) > LENGTH_TOLERANCE * wanted:
            rule = f"is {wanted}, but a request of {name} had {length:.1f} on average"
            problems.append(Problem(f"protocols.serving_curve.{field}", rule))
    problems += [
        Problem(name, f"{latency}: was not measured; a point needs it: measure with streaming")
        for latency in ("ttft", "tpot")
        if latency not in run.latencies
    ]
    return problems


def _remarks(
    measured: Sequence[Measured], edited: Edited, definition: Definition
) -> tuple[str, ...]:
    said = [f"{m.file.name}: {remark}" for m in measured for remark in m.run.remarks]
    upstream = definition.upstream.revision
    for each in measured:
        run, name = each.run, each.file.name
        if run.revision != upstream:
            said.append(f"{name}: served revision {run.revision}, the definition's is {upstream}")
        if run.prompt_length is None or run.output_length is None:
            said.append(f"{name}: cannot say its prompt and output lengths: nobody compared them")
    return (*dict.fromkeys(said), *edited.remarks)
