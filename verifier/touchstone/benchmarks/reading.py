"""From the bytes of a result file to its runs, by tool and version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from touchstone.benchmarks import aiperf, guidellm, inferencex, sglang, vllm
from touchstone.benchmarks.document import LARGEST, documents
from touchstone.benchmarks.fields import BenchmarkError, Fields
from touchstone.benchmarks.run import Run, Stated
from touchstone.benchmarks.stating import apply_stated
from touchstone.benchmarks.versions import Commit, Range

__all__ = ["LARGEST", "TOOLS", "read_runs"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: how its results are known, which versions, and how they are read."""

    recognises: Callable[[Fields], bool]
    versions: Range | Commit
    version: Callable[[Fields], str | None]
    read: Callable[[Fields], list[Run]]


TOOLS = {
    aiperf.TOOL: Tool(aiperf.recognises, Range((0, 13), (0, 15)), aiperf.version, aiperf.read),
    guidellm.TOOL: Tool(
        guidellm.recognises, Range((0, 8), (0, 9)), guidellm.version, guidellm.read
    ),
    inferencex.TOOL: Tool(inferencex.recognises, Commit(), inferencex.version, inferencex.read),
    sglang.TOOL: Tool(sglang.recognises, Range((0, 4), (1, 0)), sglang.version, sglang.read),
    vllm.TOOL: Tool(vllm.recognises, Range((0, 10), (1, 0)), vllm.version, vllm.read),
}


def read_runs(raw: bytes, *, stated: Stated) -> list[Run]:
    """Every run of a result file, with what was `stated` where the file cannot say it.

    A run whose `unanswered` is not empty must not be used before somebody answers. Raises
    BenchmarkError for whatever is no result, is cut off, contradicts itself or what was stated, or
    is of a tool or a version that is not known.
    """
    runs: list[Run] = []
    for where, document in documents(raw):
        try:
            runs += _runs(Fields(document), stated)
        except BenchmarkError as error:
            raise (error.within(where) if where else error) from None
    if len({(run.tool, run.tool_version) for run in runs}) > 1:
        raise BenchmarkError("file", "holds results of several tools or versions", "split it")
    return runs


def _runs(result: Fields, stated: Stated) -> list[Run]:
    name, tool = _tool(result)
    # Before the figures are read: another version may mean something else by them.
    version = tool.version(result) or stated.tool_version
    if version is not None and version not in tool.versions:
        problem = f"{version} of {name} is not known here; known: {tool.versions}"
        raise BenchmarkError("tool_version", problem, "measure with one of those")
    return [apply_stated(run, stated) for run in tool.read(result)]


def _tool(result: Fields) -> tuple[str, Tool]:
    for name, tool in TOOLS.items():
        if tool.recognises(result):
            return name, tool
    known = "vLLM bench serve, SGLang bench_serving, guidellm, aiperf, InferenceX aggregates"
    raise BenchmarkError("file", "is no result of a known tool", f"known: {known}")
