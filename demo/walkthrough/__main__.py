"""`python -m demo.walkthrough`: every step on an instance made for it, which is then removed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from demo.__main__ import raise_stop
from demo.environment import CHECKOUT, Plan, make_plan, read_file
from demo.errors import DemoError, Stop
from demo.instance import running
from demo.ports import free_ports
from demo.processes import last_words
from demo.walkthrough import (
    delivery,
    paying,
    publishing,
    reading,
    refusing,
    signing,
    trusting,
    verifying,
)
from demo.walkthrough.browser import Browser
from demo.walkthrough.journey import Journey
from demo.walkthrough.proof import ProofError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEPS: tuple[tuple[str, Callable[[Journey], None]], ...] = (
    ("Staff publish the package once more", publishing.publish_again),
    ("Staff try to change what is published", publishing.refuse_other_content),
    ("Staff try a branch as the upstream revision", publishing.refuse_a_branch_as_revision),
    ("Staff try to sell weights", publishing.refuse_weight_bytes),
    ("A stranger reads the pages", reading.read_the_pages),
    ("A stranger reads the card as data", reading.read_the_card),
    ("A stranger fetches receipt and keys", reading.fetch_receipt_and_keys),
    ("A stranger pins the store's root", trusting.root_is_pinned),
    ("The buyer signs in", signing.buyer_signs_in),
    ("The buyer tries to buy unsigned", signing.unsigned_cannot_buy),
    ("The buyer reads the licence", signing.licence_starts_unset),
    ("The buyer leaves an affirmation out", signing.each_affirmation_is_needed),
    ("The buyer signs another text", signing.other_terms_are_not_signed),
    ("The buyer signs", signing.licence_is_signed),
    ("The buyer pays", paying.buyer_pays),
    ("The buyer's account", paying.account_shows_one_kit),
    ("The buyer downloads the kit, cut once", delivery.kit_is_downloaded),
    ("The buyer's receipt", delivery.buyer_receipt_names_the_kit),
    ("The buyer verifies the kit", verifying.kit_verifies),
    ("The buyer verifies with the pinned keys", trusting.kit_verifies_with_pinned_keys),
    ("The buyer compares what was withheld", verifying.revealed_is_what_was_bound),
    ("The kit verifies itself", verifying.kit_verifies_itself),
    ("A byte is flipped", verifying.flipped_byte_fails),
    ("The weights are checked", verifying.weights_are_checked),
    ("An outsider tries", refusing.outsider_is_refused),
    ("Somebody tampers with a link", refusing.tampered_link_is_refused),
    ("The purchase is refunded", refusing.refund_closes_an_issued_link),
    ("Somebody keeps an old link", refusing.old_link_is_refused),
)
# The walkthrough's instance is its own: what replaces an embedded part must not reach it.
REPLACEMENTS = (
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "REDIS_URL",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRET",
    "STRIPE_API_BASE",
    "CHECKOUT_ORIGINS",
    "SITE_URL",
    "EMAIL_URL",
    "KITS_DIR",
    "KEYS_DIR",
    "ROOT_KEY_FILE",
    "TOUCHSTONE_TRUST",
    "SECRET_KEY",
)


def main() -> int:
    """Take every step; returns 0, or 1 after naming the step that failed."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, raise_stop)
    try:
        with _fresh_instance() as journey:
            return _walk(journey)
    except Stop:
        print("  stopped")
    except DemoError as error:
        print(f"\n{error}", file=sys.stderr)
    return 1


def _walk(journey: Journey) -> int:
    started = time.monotonic()
    for number, (title, step) in enumerate(STEPS, start=1):
        print(f"\n {number:2}. {title}", flush=True)
        try:
            step(journey)
        except (ProofError, requests.RequestException) as failure:
            # The folder goes with the instance: what its log says is shown now.
            log = last_words(journey.plan.data / "log" / "web.log")
            print(f"\nStep {number}, {title!r}, failed.\n{failure}\n\nweb.log:\n{log}", flush=True)
            return 1
    seconds = time.monotonic() - started
    print(f"\n  {len(STEPS)} steps, every one proved, in {seconds:.0f} s", flush=True)
    return 0


@contextmanager
def _fresh_instance() -> Iterator[Journey]:
    _check_env_file(CHECKOUT / ".env")
    # Short: a Unix socket's path may have about a hundred characters.
    data = Path(tempfile.mkdtemp(prefix="tsw-"))
    data.chmod(0o755)
    try:
        plan = _plan(data)
        with running(plan):
            yield _journey(plan)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _check_env_file(file: Path) -> None:
    named = sorted(set(REPLACEMENTS) & read_file(file).keys())
    if named:
        raise DemoError(
            f"{file} sets {', '.join(named)}, and the walkthrough wants an instance of its own:\n"
            "it signs, pays and refunds. Move the file aside for this run."
        )


def _plan(data: Path) -> Plan:
    port, sandbox_port = free_ports(2)
    given = {name: value for name, value in os.environ.items() if name not in REPLACEMENTS}
    given["DOWNLOAD_LINK_SECONDS"] = str(refusing.LINK_SECONDS)
    return make_plan(data=data, port=port, sandbox_port=sandbox_port, given=given)


def _journey(plan: Plan) -> Journey:
    work = plan.data / "walkthrough"
    work.mkdir()
    visitors = (Browser(plan.site_url) for _ in range(3))
    buyer, outsider, stranger = visitors
    return Journey(plan=plan, work=work, buyer=buyer, outsider=outsider, stranger=stranger)


if __name__ == "__main__":
    sys.exit(main())
