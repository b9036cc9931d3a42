"""What a person states about a run, put beside what its file says."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from touchstone.benchmarks.checks import check_requests
from touchstone.benchmarks.fields import BenchmarkError
from touchstone.benchmarks.run import Run, Stated

ASKED = tuple(field.name for field in fields(Stated))


def apply_stated(run: Run, stated: Stated) -> Run:
    """Fill in what the file cannot say, and list the names of that.

    Raises BenchmarkError where the file says otherwise.
    """
    missing = tuple(name for name in ASKED if getattr(run, name) is None)
    answers: dict[str, Any] = {}
    for name in ASKED:
        said, answer = getattr(run, name), getattr(stated, name)
        if answer is None:
            continue
        if name in missing:
            answers[name] = answer
        elif said != answer:
            problem = f"the file says {said}, but {answer} was stated"
            raise BenchmarkError(name, problem, "leave it out, or name the file that it belongs to")
    return _counted(replace(run, missing=missing, **answers))


def _counted(run: Run) -> Run:
    if run.requests is None or run.completed is None or run.failed is not None:
        return run
    failed = run.requests - run.completed
    remarks = check_requests(
        "requests", requests=run.requests, completed=run.completed, failed=max(failed, 0)
    )
    return replace(run, failed=failed, remarks=(*run.remarks, *remarks))
