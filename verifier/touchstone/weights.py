"""Downloaded weights against a kit's lists: every shard by name, size and bytes."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TextIO

from touchstone.checksums import sha256_file
from touchstone.contents import check_agreement
from touchstone.folder import fault_of_extra, fault_of_listed, look_into
from touchstone.progress import Progress
from touchstone.report import Report
from touchstone.upstream import Upstream

THREADS = 2  # hashing frees the interpreter's lock, and two readers keep a fast disk busy


def check_weights(
    *,
    directory: Path,
    sums: Mapping[str, str],
    upstream: Upstream | None,
    progress: TextIO | None = None,
) -> Report:
    """Name every file that is missing, extra, of another size, altered, a link or a folder.

    `sums` holds SHA-256 by name. Without `upstream`, sizes are not known and only bytes are
    compared. `progress` is a terminal to write to. A file that cannot be read stays unchecked.
    Raises OSError if the directory cannot be listed.
    """
    report = Report()
    sizes = upstream.sizes if upstream else {}
    if upstream:
        check_agreement(report, sums, upstream)
    found = look_into(directory, sums)
    faults = {name: fault_of_listed(found.get(name), sizes.get(name)) for name in sums}
    faults |= {name: fault_of_extra(found[name]) for name in found.keys() - sums.keys()}
    to_hash = {name: found[name].st_size for name, fault in faults.items() if not fault}
    digests = _hash_all(directory, to_hash, progress)
    for name, fault in sorted(faults.items()):
        _judge(report, name, fault or _fault_of_bytes(digests[name], sums[name]))
    right = sum(digest == sums[name] for name, digest in digests.items())
    if right == len(sums):
        report.holds("weights", f"all {right} files have the listed bytes")
    return report


def _fault_of_bytes(digest: str | OSError, listed: str) -> str | OSError:
    if isinstance(digest, OSError):
        return digest
    return "" if digest == listed else f"other bytes: sha256 {digest} instead of {listed}"


def _judge(report: Report, name: str, fault: str | OSError) -> None:
    if isinstance(fault, OSError):
        report.unchecked(f"weights {name}", f"cannot be read: {fault.strerror}")
    elif fault:
        report.fails(f"weights {name}", fault)


def _hash_all(
    directory: Path, sizes: Mapping[str, int], terminal: TextIO | None
) -> dict[str, str | OSError]:
    shown = Progress(total=sum(sizes.values()), stream=terminal) if terminal else None
    stopped = Event()

    def hear(size: int) -> None:
        if stopped.is_set():
            raise InterruptedError
        if shown:
            shown.advance(size)

    def digest(name: str) -> str | OSError:
        try:
            return sha256_file(directory / name, on_bytes=hear)
        except OSError as error:
            return error

    with ThreadPoolExecutor(THREADS) as pool:
        try:
            return dict(zip(sizes, pool.map(digest, sizes), strict=True))
        finally:
            # On Ctrl-C the pool waits for its threads, which would hash on for minutes.
            stopped.set()
            if shown:
                shown.finish()
