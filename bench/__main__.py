"""`make bench`: each row beside its rival, in turns, so that a slow spell hits both."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.pair import Pair
from bench.receipts import signing_pair, verifying_pair
from bench.weights import weights_pair

ROUNDS = 5
SETTINGS = "config.settings"


def seconds(action: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(pair: Pair) -> str:
    """One line: both medians as amounts a second, and the ratio (above 1: ours is faster)."""
    pair.ours(), pair.rival()  # warm: imports, page cache
    times = [(seconds(pair.ours), seconds(pair.rival)) for _ in range(ROUNDS)]
    mine = pair.amount / statistics.median(first for first, _ in times)
    other = pair.amount / statistics.median(second for _, second in times)
    return (
        f"{pair.name:<30} {mine:10,.2f} {pair.unit:<10}"
        f"   {pair.rival_name:<16} {other:10,.2f} {pair.unit:<10}   ratio {mine / other:5.2f}"
    )


def completions(scratch: Path) -> int:
    """Completions beside pgbench, in a process and a store of their own."""
    # Postgres runs as another user when started as root, and must reach its folder.
    scratch.chmod(0o755)
    variables = {"TOUCHSTONE_DATA": str(scratch / "data"), "DJANGO_SETTINGS_MODULE": SETTINGS}
    command = [sys.executable, "-m", "bench.completions", str(scratch)]
    return subprocess.run(command, check=False, env=os.environ | variables).returncode  # noqa: S603 -- our own command


def main() -> int:
    """Run every comparison, with progress."""
    pairs = (signing_pair, verifying_pair, weights_pair)
    steps = len(pairs) + 1
    with tempfile.TemporaryDirectory() as scratch:
        for number, make in enumerate(pairs, start=1):
            sys.stderr.write(f"  {number} of {steps}: {make.__name__}\n")
            sys.stdout.write(compare(make(Path(scratch))) + "\n")
            sys.stdout.flush()
        sys.stderr.write(f"  {steps} of {steps}: completions\n")
        return completions(Path(scratch))


if __name__ == "__main__":
    sys.exit(main())
