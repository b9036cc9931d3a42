"""What one step of the journey hands to the next."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from demo.environment import CHECKOUT, Plan
from demo.instance import PACKAGE
from demo.telling import ACCOUNTS

if TYPE_CHECKING:
    from demo.walkthrough.browser import Browser

COMMAND_SECONDS = 120


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its status, and everything it said."""

    status: int
    said: str

    @property
    def last_line(self) -> str:
        """What it said last."""
        return self.said.strip().splitlines()[-1] if self.said.strip() else ""


@dataclass
class Journey:
    """The instance, the people, the files, and what was found on the way."""

    plan: Plan
    work: Path
    buyer: Browser
    outsider: Browser
    stranger: Browser
    # Filled in by the steps, in the order of the journey.
    card: dict[str, Any] = field(default_factory=dict)
    signed_path: str = ""
    purchase_path: str = ""
    first_link: str = ""
    linked_at: float = 0.0
    kit: Path = Path()

    @property
    def receipt(self) -> Path:
        """The benchmark receipt, as downloaded."""
        return self.work / "receipt.json"

    @property
    def buyer_receipt(self) -> Path:
        """The buyer receipt, as downloaded."""
        return self.work / "buyer-receipt.json"

    @property
    def keys(self) -> Path:
        """The store's public keys, as downloaded."""
        return self.work / "keys.json"

    @cached_property
    def definition(self) -> dict[str, Any]:
        """The sample package's definition, as its author wrote it."""
        read: dict[str, Any] = yaml.safe_load((CHECKOUT / PACKAGE / "package.yaml").read_text())
        return read

    @property
    def package_path(self) -> str:
        """The page of the package."""
        return f"/packages/{self.definition['slug']}/"

    @property
    def version_path(self) -> str:
        """The page of the version."""
        return f"{self.package_path}{self.definition['version']}/"

    @cached_property
    def accounts(self) -> dict[str, dict[str, str]]:
        """The demo's accounts, with their passwords."""
        read: dict[str, dict[str, str]] = json.loads((self.plan.data / ACCOUNTS).read_text())
        return read

    def manage(self, *arguments: str) -> Ended:
        """Run a manage.py command of the instance."""
        return self.run([sys.executable, "manage.py", *arguments])

    def touchstone(self, *arguments: str | Path) -> Ended:
        """Run the buyer's command, as it is installed, with a trust file of the journey's own."""
        installed = Path(sys.executable).with_name("touchstone")
        trusted = str(self.work / "trust.json")
        return self.run([str(installed), *map(str, arguments)], TOUCHSTONE_TRUST=trusted)

    def run(self, command: list[str], **variables: str) -> Ended:
        """Run a command in the checkout with the instance's environment."""
        ended = subprocess.run(  # noqa: S603 - our own commands
            command,
            cwd=CHECKOUT,
            env={**self.plan.variables, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout)
