"""Says at the end of a run how many fault points there were and how often one was struck."""

from __future__ import annotations

from typing import Any

import pytest

# Before anybody imports it: its asserts show what they compared.
pytest.register_assert_rewrite("tests.faults.invariants")
POINTS, RUNS = "fault_points", "fault_runs"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Sum up what the tests of faults recorded, in whichever process they ran."""
    passed = terminalreporter.stats.get("passed", [])
    said = [pair for report in passed for pair in report.user_properties]
    points, runs = (sum(n for name, n in said if name == what) for what in (POINTS, RUNS))
    if runs:
        terminalreporter.write_line(f"fault points: {points}, runs: {runs}")
