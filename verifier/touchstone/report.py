"""What was checked and how each check ended, for people and for programs."""

import json
from dataclasses import asdict, dataclass, field
from typing import Literal

Outcome = Literal["holds", "fails", "unchecked"]

_MARKS: dict[Outcome, str] = {"holds": "holds", "fails": "FAILS", "unchecked": "?????"}
_COLOURS: dict[Outcome, str] = {"holds": "32", "fails": "1;31", "unchecked": "33"}
_MAX_TEXT = 2_000  # a name in a kit has up to 1,024; what files say is of any length
_EXIT_CODES: dict[Outcome, int] = {"holds": 0, "fails": 1, "unchecked": 2}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, how it ended, and why."""

    name: str
    outcome: Outcome
    detail: str


@dataclass(slots=True)
class Report:
    """Checks in the order they were made. What was not checked never counts as holding."""

    checks: list[Check] = field(default_factory=list)

    def holds(self, name: str, detail: str) -> None:
        self._add(name, "holds", detail)

    def fails(self, name: str, detail: str) -> None:
        self._add(name, "fails", detail)

    def unchecked(self, name: str, detail: str) -> None:
        self._add(name, "unchecked", detail)

    def include(self, other: "Report", *, under: str) -> None:
        """Take another report's checks over, each with `under` put before its name."""
        for check in other.checks:
            self._add(f"{under}{check.name}", check.outcome, check.detail)

    def _add(self, name: str, outcome: Outcome, detail: str) -> None:
        self.checks.append(Check(_clipped(name), outcome, _clipped(detail)))

    @property
    def failures(self) -> list[Check]:
        return [check for check in self.checks if check.outcome == "fails"]

    @property
    def outcome(self) -> Outcome:
        outcomes = {check.outcome for check in self.checks}
        if "fails" in outcomes:
            return "fails"
        return "holds" if outcomes == {"holds"} else "unchecked"

    @property
    def exit_code(self) -> int:
        """0 if everything holds, 1 if something does not, 2 if something was left unchecked."""
        return _EXIT_CODES[self.outcome]

    def as_text(self, *, colour: bool = False) -> str:
        """One line a check, and a last line that sums up. Ends with a line end."""
        lines = [_line(check, colour) for check in self.checks]
        return "\n".join([*lines, self._summary(), ""])

    def as_json(self) -> str:
        """The same as one JSON object: outcome, exitCode and checks."""
        checks = [asdict(check) for check in self.checks]
        report = {"outcome": self.outcome, "exitCode": self.exit_code, "checks": checks}
        return json.dumps(report, indent=2) + "\n"

    def _summary(self) -> str:
        total = len(self.checks)
        if self.outcome == "holds":
            return f"Everything holds: {total} {'check' if total == 1 else 'checks'}."
        if self.outcome == "fails":
            return f"Does not hold: {len(self.failures)} of {total} checks failed."
        return "Could not be checked in full."


def _clipped(text: str) -> str:
    left = len(text) - _MAX_TEXT
    return text if left <= 0 else f"{text[:_MAX_TEXT]}... and {left} more characters"


def printable(text: str) -> str:
    """Escape what could move a terminal's cursor: names come from files nobody vouches for."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _line(check: Check, colour: bool) -> str:
    mark = _MARKS[check.outcome]
    if colour:
        mark = f"\x1b[{_COLOURS[check.outcome]}m{mark}\x1b[0m"
    return f"{mark}  {printable(check.name)}: {printable(check.detail)}"
