"""Run in a process of its own, with DATA_DIR in a scratch folder: it migrates and forks."""

from __future__ import annotations

import sys
from pathlib import Path

import django

ROUNDS = 5
# Purchases of one connection in one round.
SHARE = 60


def main(scratch: Path) -> int:
    """Print how fast completions are, with 1 and 8 connections, beside pgbench."""
    django.setup()
    from bench.completions.measuring import measure

    for line in measure(scratch, rounds=ROUNDS, share=SHARE):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
