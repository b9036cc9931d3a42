"""Pinning the store's root once, and verifying with what it signed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.walkthrough.proof import prove

if TYPE_CHECKING:
    from demo.walkthrough.journey import Journey


def root_is_pinned(journey: Journey) -> None:
    """The fingerprint as the seller gives it is pinned, and no other."""
    page = journey.stranger.get("/.well-known/touchstone/root.json")
    shown = str(page.response.json()["fingerprint"])
    wrong = journey.touchstone("trust", journey.plan.local_url, "--fingerprint", "0" * 64)
    prove(wrong.status == 1, "touchstone trust with another fingerprint: exit 1", found=wrong.said)
    pinned = journey.touchstone("trust", journey.plan.local_url, "--fingerprint", shown)
    prove(pinned.status == 0, "with the seller's: exit 0", found=pinned.said)
    again = journey.touchstone("trust", journey.plan.local_url)
    prove(again.status == 0, "asked again, the same root refreshes the keys", found=again.said)


def kit_verifies_with_pinned_keys(journey: Journey) -> None:
    """No key document is named: the trust file has it."""
    ended = journey.touchstone("verify", journey.kit, "--receipt", journey.receipt)
    prove(ended.status == 0, "touchstone verify without --keys: exit 0", found=ended.said)
