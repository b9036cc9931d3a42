"""Everything, in the order in which each thing rests on the ones before."""

from __future__ import annotations

from collections.abc import Callable

from entitlements.evidence.agreeing import agreeing
from entitlements.evidence.delivering import delivering
from entitlements.evidence.desking import desking
from entitlements.evidence.paying import paying
from entitlements.evidence.selling import selling
from entitlements.evidence.snapshot import one_moment
from entitlements.evidence.vouching import vouching
from entitlements.evidence.walking import Table, Telling, require_targets, walk
from licensing.chain import as_the_chain_writes


def check_evidence(*, say: Callable[[str], object], interval: float = 2.0) -> dict[str, int]:
    """Walk all evidence as it was at one moment; returns how many rows each table has.

    `say` hears how far it has come, every `interval` seconds. Raises EvidenceBroken for the
    first row that does not hold.
    """
    with one_moment():
        as_the_chain_writes()
        tables, telling = all_tables(), Telling(say=say, interval=interval)
        for table in tables:
            require_targets(table.rows.model)
        return {table.name: walk(table, telling) for table in tables}


def all_tables() -> list[Table]:
    """Every table that is walked, in order."""
    return [*vouching(), *selling(), *agreeing(), *paying(), *delivering(), *desking()]
