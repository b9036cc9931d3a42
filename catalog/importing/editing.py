"""A definition's text with new points and raw files in it, and nothing else changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from catalog.definition import Definition, Problem, parse_definition
from catalog.definition.measurements import MeasuredPoint

from .layout import Edit, LayoutError, Listing, add_list, apply_edits, find_list
from .problems import ImportRefused

CURVE, RAW = "serving_curve", "raw_files"
Entry = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Edited:
    """The new text, what it defines, and what a person should look at again."""

    text: str
    definition: Definition
    released: frozenset[str]
    remarks: tuple[str, ...]


def edit_definition(
    text: str,
    definition: Definition,
    *,
    points: Sequence[Entry],
    raw_files: Sequence[Entry],
    replace: bool,
) -> Edited:
    """Put points into the curve, by concurrency within their profile, and list their files.

    Raises ImportRefused where a measured point or another raw file is in the way.
    """
    problems = _taken(definition, points, replace=replace)
    kept = _kept_raw_files(definition, points, raw_files)
    problems += _names_taken(definition, kept, raw_files)
    if problems:
        raise ImportRefused(problems)
    try:
        edits = _curve_edits(text, definition, points)
        edits += _raw_edits(text, definition, kept, raw_files)
    except LayoutError as error:
        raise ImportRefused([Problem("package.yaml", str(error))]) from None
    new_text = apply_edits(text, edits)
    new = parse_definition(new_text.encode())
    if _rest(new) != _rest(definition):
        raise ImportRefused([Problem("package.yaml", "has a layout that no point can be put into")])
    gone = {file.path for at, file in enumerate(definition.raw_files) if at not in kept}
    return Edited(
        text=new_text,
        definition=new,
        released=frozenset(gone),
        remarks=_remarks(definition, points),
    )


def _key(point: Any) -> tuple[str, int]:
    if isinstance(point, dict):
        return point["profile"], point["concurrency"]
    return point.profile, point.concurrency


def _places(definition: Definition) -> dict[tuple[str, int], int]:
    return {_key(point): at for at, point in enumerate(definition.serving_curve)}


def _taken(definition: Definition, points: Sequence[Entry], *, replace: bool) -> list[Problem]:
    problems, places, seen = [], _places(definition), set()
    for key in map(_key, points):
        if key in seen:
            rule = f"two results are of {key[0]} at concurrency {key[1]}; import one of them"
            problems.append(Problem("concurrency", rule))
        seen.add(key)
        at = places.get(key)
        if at is None or replace or not isinstance(definition.serving_curve[at], MeasuredPoint):
            continue
        rule = f"{key[0]} at concurrency {key[1]} is measured; --replace puts the new one there"
        problems.append(Problem(f"{CURVE}[{at}]", rule))
    return problems


def _kept_raw_files(
    definition: Definition, points: Sequence[Entry], raw_files: Sequence[Entry]
) -> list[int]:
    """Which listed raw files stay: those not listed anew, of points that stay."""
    new, going = {file["sha256"] for file in raw_files}, {_key(point) for point in points}
    before = {point.raw for point in definition.measured_points}
    after = {point.raw for point in definition.measured_points if _key(point) not in going}
    return [
        at
        for at, file in enumerate(definition.raw_files)
        if file.sha256 not in new and (file.sha256 in after or file.sha256 not in before)
    ]


def _names_taken(
    definition: Definition, kept: Sequence[int], raw_files: Sequence[Entry]
) -> list[Problem]:
    held = {definition.raw_files[at].path.casefold(): at for at in kept}
    return [
        Problem(f"{RAW}[{held[path]}].path", f"is {file['path']} with other content; rename one")
        for file in raw_files
        if (path := file["path"].casefold()) in held
    ]


def _curve_edits(text: str, definition: Definition, points: Sequence[Entry]) -> list[Edit]:
    listing = find_list(text, CURVE)
    if listing is None:
        raise LayoutError(f"{CURVE}: is empty")
    places = _places(definition)
    return [
        listing.put(places[_key(point)], point)
        if _key(point) in places
        else _insertion(listing, definition, point)
        for point in points
    ]


def _insertion(listing: Listing, definition: Definition, point: Entry) -> Edit:
    profile, concurrency = _key(point)
    same = [at for at, each in enumerate(definition.serving_curve) if each.profile == profile]
    above = [at for at in same if definition.serving_curve[at].concurrency > concurrency]
    end = same[-1] + 1 if same else len(definition.serving_curve)
    return listing.insert(above[0] if above else end, point)


def _raw_edits(
    text: str, definition: Definition, kept: Sequence[int], raw_files: Sequence[Entry]
) -> list[Edit]:
    listing = find_list(text, RAW)
    if listing is None:
        return [add_list(text, RAW, raw_files, behind=CURVE)]
    end = len(listing.entries)
    gone = [listing.remove(at) for at in range(end) if at not in kept]
    return gone + [listing.insert(end, file) for file in raw_files]


def _rest(definition: Definition) -> dict[str, Any]:
    return {name: value for name, value in definition.as_data().items() if name not in {CURVE, RAW}}


def _remarks(definition: Definition, points: Sequence[Entry]) -> tuple[str, ...]:
    """Where else the definition speaks of these points."""
    remarks = []
    for profile, concurrency in map(_key, points):
        for at, each in enumerate(definition.not_measured):
            if f"concurrency {concurrency} " in f"{each.subject} ":
                remarks.append(f"not_measured[{at}]: still says {each.subject!r}")
        for at, comparison in enumerate(definition.comparisons):
            levels = {row.concurrency for row in comparison.advantages}
            if concurrency in levels and profile in {comparison.profile, comparison.against}:
                remarks.append(
                    f"comparisons[{at}]: has a percentage at concurrency {concurrency}; "
                    "work it out again"
                )
    return tuple(remarks)
