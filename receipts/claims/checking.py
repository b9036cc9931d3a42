"""Every claim check, and the written reasons that let a broken identity pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from receipts.claims import latency, throughput
from receipts.claims.figures import Figures, Finding

CHECKS = (
    throughput.per_gpu,
    throughput.request_rate,
    throughput.duration,
    throughput.requests,
    throughput.in_flight,
    throughput.advantages,
    latency.end_to_end,
    latency.support,
)


class ClaimsRefused(Exception):
    """Figures break an identity without a written reason, or a reason stands for nothing."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


def check_claims(
    figures: Figures, *, reasons: Mapping[tuple[str, str], str]
) -> tuple[Finding, ...]:
    """All findings; `reasons` maps an identity and a path to why it is published so.

    A broken identity with a reason comes back as accepted, with it.
    """
    return tuple(_with_reason(finding, reasons) for check in CHECKS for finding in check(figures))


def refuse_broken(findings: tuple[Finding, ...], *, reasons: Mapping[tuple[str, str], str]) -> None:
    """Raise ClaimsRefused unless every broken identity has a reason and every reason a use."""
    problems = [
        f"{each.path}: {each.text} Correct the figure, or say under accepted_findings why it is "
        f"published so (identity: {each.identity}, path: {each.path})."
        for each in findings
        if each.outcome == "broken"
    ]
    used = {(each.identity, each.path) for each in findings if each.outcome == "accepted"}
    problems += [
        f"accepted_findings: no broken identity {identity} at {path}; remove this reason."
        for identity, path in reasons
        if (identity, path) not in used
    ]
    if problems:
        raise ClaimsRefused(tuple(problems))


def _with_reason(finding: Finding, reasons: Mapping[tuple[str, str], str]) -> Finding:
    reason = reasons.get((finding.identity, finding.path))
    if finding.outcome != "broken" or reason is None:
        return finding
    return replace(finding, outcome="accepted", reason=reason)
