"""What a step claims, and what happens when the claim does not hold."""

from __future__ import annotations


class ProofError(Exception):
    """A step found something else than it claims; the message says what."""


def prove(holds: bool, claim: str, *, found: object = None) -> None:
    """Print the claim when it holds; raises ProofError with what was found instead."""
    if not holds:
        instead = "" if found is None else f"\n       found: {found}"
        raise ProofError(f"not so: {claim}{instead}")
    print(f"     - {claim}", flush=True)
