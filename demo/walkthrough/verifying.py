"""Checking what arrived, with the buyer's own command."""

from __future__ import annotations

import sys
import tarfile
from typing import TYPE_CHECKING

from demo.walkthrough.proof import prove
from demo.walkthrough.publishing import make_shards

if TYPE_CHECKING:
    from pathlib import Path

    from demo.walkthrough.journey import Ended, Journey


def kit_verifies(journey: Journey) -> None:
    """Signature, subjects, size and every file hold."""
    ended = _verify(journey, journey.kit)
    prove(ended.status == 0, "touchstone verify: exit 0", found=ended.said)
    prove(True, f"it says: {ended.last_line}")


def kit_verifies_itself(journey: Journey) -> None:
    """The copy inside the kit checks the kit, with nothing installed."""
    folder = journey.work / "unpacked"
    with tarfile.open(journey.kit) as archive:
        archive.extractall(folder, filter="data")
    [root] = folder.iterdir()
    command = [sys.executable, "-m", "touchstone", "verify", str(journey.kit)]
    papers = ["--receipt", str(journey.receipt), "--keys", str(journey.keys)]
    ended = journey.run([*command, *papers], PYTHONPATH=str(root / "verifier"))
    prove(ended.status == 0, "the verifier in the kit says so too: exit 0", found=ended.said)


def revealed_is_what_was_bound(journey: Journey) -> None:
    """What was withheld from the public is what the public receipt binds."""
    papers = ("--receipt", journey.receipt, "--buyer-receipt", journey.buyer_receipt)
    ended = journey.touchstone("verify", journey.kit, *papers)
    prove(ended.status == 0, "touchstone verify --buyer-receipt: exit 0", found=ended.said)
    for name in ("runtime_build_record", "serve_command"):
        line = next((line for line in ended.said.splitlines() if f"revealed {name}:" in line), "")
        prove(line.startswith("holds"), f"{name} is what was measured", found=ended.said)
    swapped = ("--receipt", journey.receipt, "--buyer-receipt", journey.receipt)
    ended = journey.touchstone("verify", journey.kit, *swapped)
    prove(ended.status == 1, "the public receipt in its place: exit 1", found=ended.said)


def flipped_byte_fails(journey: Journey) -> None:
    """One byte anywhere is enough."""
    raw = journey.kit.read_bytes()
    for place, name in ((12, "at the start"), (len(raw) // 2, "in the middle"), (-9, "at the end")):
        altered = journey.work / "altered.tar.gz"
        altered.write_bytes(flipped(raw, place))
        ended = _verify(journey, altered)
        prove(ended.status == 1, f"a byte flipped {name}: exit 1", found=ended.said)


def weights_are_checked(journey: Journey) -> None:
    """The kit's list against shards on disk: the stand-ins of the sample."""
    shards = make_shards(journey, journey.work / "weights")
    holds = journey.touchstone("weights", shards, "--kit", journey.kit)
    prove(holds.status == 0, "touchstone weights: exit 0", found=holds.said)
    shard = sorted(shards.iterdir())[41]
    shard.write_bytes(flipped(shard.read_bytes(), -1))
    fails = journey.touchstone("weights", shards, "--kit", journey.kit)
    named = fails.status == 1 and shard.name in fails.said
    prove(named, f"a byte of {shard.name} flipped: exit 1, and its name", found=fails.said)


def flipped(raw: bytes, place: int) -> bytes:
    """The bytes with every bit of one of them turned."""
    altered = bytearray(raw)
    altered[place] ^= 0xFF
    return bytes(altered)


def _verify(journey: Journey, kit: Path) -> Ended:
    return journey.touchstone("verify", kit, "--receipt", journey.receipt, "--keys", journey.keys)
