"""What a person is told when the store is up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demo.environment import Plan

ACCOUNTS = "demo-accounts.json"
PACKAGE_PATH = "/packages/kimi-k3-8xb300/"


def told(plan: Plan) -> str:
    """The addresses, the accounts, and what to try, as text for a terminal."""
    accounts = json.loads((plan.data / ACCOUNTS).read_text())
    site = plan.site_url
    lines = [
        "",
        f"The store is at {site}/",
        "",
        *(f"  {role:<8}{each['email']:<30}{each['password']}" for role, each in accounts.items()),
        f"  staff sign in at {site}/staff/, the buyer at {site}/accounts/login/",
        f"  mail  {plan.data / 'mail'}",
        f"  logs  {plan.data / 'log'}",
        "",
        "Try this, as the buyer:",
        f"  1. Read the package      {site}{PACKAGE_PATH}",
        f"  2. Sign its licence      {site}{PACKAGE_PATH}licence/",
        f"  3. Buy                   {_cards(plan)}",
        f"  4. Fetch kit and receipt {site}/account/",
        f"  5. Check what you have   .venv/bin/touchstone trust {site}",
        "                           .venv/bin/touchstone verify KIT --receipt RECEIPT",
        "",
        "Ctrl-C stops everything. `make demo` goes on with this data, `RESET=1` begins anew.",
    ]
    return "\n".join(lines)


def _cards(plan: Plan) -> str:
    if not plan.sandbox:
        return "through Stripe, with the keys of your environment"
    return "card 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined"
