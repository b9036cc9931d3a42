"""Rules between the fields of a definition. Each yields the location and the rule it breaks."""

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from .measurements import MeasuredPoint
from .problems import Broken, Location

if TYPE_CHECKING:
    from .package import PublicDefinition


def broken_rules(definition: "PublicDefinition") -> list[Broken]:
    """Return every rule between fields that this definition breaks."""
    rules = (
        _names_are_unique,
        _profiles_exist,
        _requests_add_up,
        _columns_agree,
        _raw_files_are_listed,
        _arms_add_up,
        _stand_ins_are_named,
    )
    return [broken for rule in rules for broken in rule(definition)]


def _names_are_unique(definition: "PublicDefinition") -> Iterator[Broken]:
    curve = [(point.profile, point.concurrency) for point in definition.serving_curve]
    yield from _repeated(("serving_curve",), curve, "profile and concurrency")
    others = [(point.profile, point.concurrency) for point in definition.other_points]
    yield from _repeated(("other_points",), others, "profile and concurrency")
    yield from _repeated(("profiles",), definition.profile_names, "name")
    yield from _repeated(("comparisons",), [c.name for c in definition.comparisons], "name")
    yield from _repeated(("stand_ins",), [s.key for s in definition.stand_ins], "key")
    yield from _repeated(("kit", "contents"), [e.path for e in definition.kit.contents], "path")
    for index, comparison in enumerate(definition.comparisons):
        levels = [row.concurrency for row in comparison.advantages]
        yield from _repeated(("comparisons", index, "advantages"), levels, "concurrency")


def _repeated(location: Location, keys: Iterable[Hashable], what: str) -> Iterator[Broken]:
    first: dict[Hashable, int] = {}
    for index, key in enumerate(keys):
        if first.setdefault(key, index) != index:
            yield Broken((*location, index), f"repeats the {what} of entry {first[key]}")


def _profiles_exist(definition: "PublicDefinition") -> Iterator[Broken]:
    named: list[tuple[Location, str]] = []
    for index, point in enumerate(definition.serving_curve):
        named.append((("serving_curve", index, "profile"), point.profile))
    for index, other in enumerate(definition.other_points):
        named.append((("other_points", index, "profile"), other.profile))
    for index, comparison in enumerate(definition.comparisons):
        named.append((("comparisons", index, "profile"), comparison.profile))
        named.append((("comparisons", index, "against"), comparison.against))
    headline = definition.protocols.headline
    for index, arm in enumerate(headline.arms if headline else ()):
        named.append((("protocols", "headline", "arms", index), arm))
    known = ", ".join(definition.profile_names)
    for location, name in named:
        if name not in definition.profile_names:
            yield Broken(location, f"must be one of the profiles: {known}")


def _requests_add_up(definition: "PublicDefinition") -> Iterator[Broken]:
    for index, point in enumerate(definition.serving_curve):
        if not isinstance(point, MeasuredPoint):
            continue
        if point.completed > point.requests:
            rule = f"must be at most requests, which is {point.requests}"
            yield Broken(("serving_curve", index, "completed"), rule)
        elif point.completed + point.failed != point.requests:
            rule = f"must be requests less completed: {point.requests - point.completed}"
            yield Broken(("serving_curve", index, "failed"), rule)


def _columns_agree(definition: "PublicDefinition") -> Iterator[Broken]:
    units: dict[str, str] = {}
    for index, point in enumerate(definition.serving_curve):
        if not isinstance(point, MeasuredPoint):
            continue
        for name in ("ttft", "tpot", "itl", "e2el"):
            latency = getattr(point, name)
            if latency and units.setdefault(name, latency.unit) != latency.unit:
                rule = f"must be {units[name]}, as the first point has it"
                yield Broken(("serving_curve", index, name, "unit"), rule)


def _raw_files_are_listed(definition: "PublicDefinition") -> Iterator[Broken]:
    listed = [file.sha256 for file in definition.raw_files]
    yield from _repeated(("raw_files",), listed, "sha256")
    yield from _repeated(("raw_files",), [file.path for file in definition.raw_files], "path")
    for index, point in enumerate(definition.measured_points):
        if point.raw is not None and point.raw not in listed:
            yield Broken(("serving_curve", index, "raw"), "must be the sha256 of one of raw_files")


def _arms_add_up(definition: "PublicDefinition") -> Iterator[Broken]:
    headline = definition.protocols.headline
    if headline and headline.completed_per_arm > headline.requests_per_arm:
        rule = f"must be at most requests_per_arm, which is {headline.requests_per_arm}"
        yield Broken(("protocols", "headline", "completed_per_arm"), rule)
    for index, comparison in enumerate(definition.comparisons):
        if comparison.profile == comparison.against:
            yield Broken(("comparisons", index, "against"), "must be another profile")


def _stand_ins_are_named(definition: "PublicDefinition") -> Iterator[Broken]:
    if definition.upstream.stand_in and definition.stand_in("upstream-revision") is None:
        yield Broken(("stand_ins",), "must have the key upstream-revision, as upstream is one")
    if definition.upstream.stand_in and definition.upstream.note is None:
        yield Broken(("upstream", "note"), "must say what stands in for what")
