"""What the parts of a demo are told: chosen once, kept in DATA_DIR/demo.env for the next run.

A variable that the user set wins over the file, in the demo as in settings.py.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from config.local import stored_secret
from demo.ports import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "demo.env"
CHECKOUT = Path(__file__).resolve().parent.parent
# A seller and an account that nobody has: IBAN and BIC are the examples of their standards.
SELLER = {
    "SELLER_NAME": "Touchstone Demo Ltd",
    "SELLER_ADDRESS": "1 Example Street, London EC1A 1AA, United Kingdom",
    "SELLER_TAX_NUMBER": "GB999999973",
    "BANK_NAME": "Example Bank",
    "BANK_ACCOUNT": "GB33 BUKB 2020 1555 5555 55",
    "BANK_CODE": "BUKBGB22",
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A demo's folder, ports and parts. `variables` is the whole environment of its children."""

    data: Path
    port: int
    sandbox_port: int
    embedded_database: bool
    sandbox: bool
    celery: bool
    variables: Mapping[str, str]

    @property
    def local_url(self) -> str:
        """Where the web process listens, whatever SITE_URL tells the world."""
        return f"http://{HOST}:{self.port}"

    @property
    def site_url(self) -> str:
        """The address that people are given."""
        return self.variables["SITE_URL"]

    @property
    def sandbox_url(self) -> str:
        """Where the payment sandbox listens."""
        return f"http://{HOST}:{self.sandbox_port}"

    @property
    def sandbox_variables(self) -> dict[str, str]:
        """The sandbox's own environment: secrets do not show in a process list."""
        return {
            **self.variables,
            "SANDBOX_HOST": HOST,
            "SANDBOX_PORT": str(self.sandbox_port),
            "SANDBOX_DATA": str(self.data / "sandbox.sqlite3"),
            "SANDBOX_API_KEY": self.variables["STRIPE_SECRET_KEY"],
            "SANDBOX_WEBHOOK_URL": f"{self.local_url}/webhooks/stripe/",
            "SANDBOX_WEBHOOK_SECRET": self.variables["STRIPE_WEBHOOK_SECRET"],
        }


def make_plan(*, data: Path, port: int, sandbox_port: int, given: Mapping[str, str]) -> Plan:
    """Decide which parts run, from what the user set, and write demo.env."""
    chosen = {"SITE_URL": f"http://{HOST}:{port}", "ROOT_KEY_FILE": str(data / "root.pem")}
    chosen |= SELLER
    sandbox = not given.get("STRIPE_SECRET_KEY")
    if sandbox:
        chosen |= _sandbox_keys(data / FILE)
        chosen["STRIPE_API_BASE"] = f"http://{HOST}:{sandbox_port}"
        chosen["CHECKOUT_ORIGINS"] = chosen["STRIPE_API_BASE"]
    if given.get("DATABASE_URL"):
        # Settings insist on a SECRET_KEY beside a database of one's own; a demo brings one.
        chosen["SECRET_KEY"] = stored_secret(data / "secret-key")
    write_private(data / FILE, "".join(f"{name}={value}\n" for name, value in chosen.items()))
    return Plan(
        data=data,
        port=port,
        sandbox_port=sandbox_port,
        embedded_database=not given.get("DATABASE_URL"),
        sandbox=sandbox,
        celery=bool(given.get("REDIS_URL")),
        variables=_variables(chosen, given=given, data=data),
    )


def _variables(
    chosen: Mapping[str, str], *, given: Mapping[str, str], data: Path
) -> dict[str, str]:
    # Empty counts as unset. TOUCHSTONE_DATABASE_ROLE is manage.py's to set: what serves is the
    # application role.
    kept = {name: value for name, value in given.items() if value or name not in chosen}
    for name in ("DATABASE_URL", "REDIS_URL"):
        if not kept.get(name):
            kept.pop(name, None)
    kept.pop("TOUCHSTONE_DATABASE_ROLE", None)
    return {**chosen, **kept, "TOUCHSTONE_DATA": str(data), "PYTHONUNBUFFERED": "1"}


def _sandbox_keys(file: Path) -> dict[str, str]:
    """The keys of the run before, or new random ones."""
    kept = read_file(file)
    keys = {"STRIPE_SECRET_KEY": "sk_test_", "STRIPE_WEBHOOK_SECRET": "whsec_"}
    return {name: kept.get(name) or prefix + secrets.token_hex(24) for name, prefix in keys.items()}


def read_file(file: Path) -> dict[str, str]:
    """The variables of an environment file as this module writes it; none when it is missing."""
    if not file.exists():
        return {}
    pairs = (line.partition("=") for line in file.read_text().splitlines())
    return {name: value for name, equals, value in pairs if equals}


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
        output.write(text)
    fresh.replace(file)
