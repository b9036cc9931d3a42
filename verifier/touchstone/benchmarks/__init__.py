"""Results of benchmark tools, read by definition: what each figure is, not what it is called."""

from touchstone.benchmarks.fields import BenchmarkError
from touchstone.benchmarks.reading import LARGEST, read_runs
from touchstone.benchmarks.run import LATENCIES, STATISTICS, Run, Stated

__all__ = [
    "LARGEST",
    "LATENCIES",
    "STATISTICS",
    "BenchmarkError",
    "Run",
    "Stated",
    "read_runs",
]
