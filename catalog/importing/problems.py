"""Why results are not imported: every reason at once, each with the field that it is about."""

from collections.abc import Sequence

from catalog.definition import Problem

# What each name asks, for the person who has to answer.
QUESTIONS = {
    "tool_version": "the version of the tool",
    "model": "the model that was served",
    "concurrency": "how many requests were sent at once",
    "requests": "how many requests were asked",
    "completed": "how many requests completed",
    "gpus": "how many GPUs served",
    "seed": "the seed of the prompts, or fixed or none",
    "revision": "the revision of the weights that were served",
}


class ImportRefused(Exception):
    """Results are not imported, and nothing was written; `problems` has all the reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))


def option(name: str) -> str:
    """The option that states a name, such as ``--tool-version``."""
    return f"--{name.replace('_', '-')}"


def not_said(name: str, files: Sequence[str]) -> Problem:
    """Ask for what these files cannot say."""
    return Problem(name, f"{', '.join(files)} cannot say {QUESTIONS[name]}: add {option(name)}")
