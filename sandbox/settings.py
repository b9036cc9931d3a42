"""What the sandbox is started with: command line first, then the environment (SANDBOX_*)."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OPTIONS = {
    "host": "address to listen on (default 127.0.0.1)",
    "port": "port to listen on (default 8200)",
    "data": "file of the sandbox's state (default data/sandbox.sqlite3)",
    "api-key": "secret key that clients send, sk_test_...",
    "webhook-url": "where events are sent",
    "webhook-secret": "secret that signs events, whsec_...",
}
_DEFAULTS = {"host": "127.0.0.1", "port": "8200", "data": "data/sandbox.sqlite3"}
_LAST_PORT = 65535


class SettingsError(Exception):
    """A setting is missing or wrong; the message names it and the way out."""


@dataclass(frozen=True)
class Settings:
    """Checked settings."""

    host: str
    port: int
    data: Path
    api_key: str
    webhook_url: str
    webhook_secret: str

    @property
    def base_url(self) -> str:
        """Return the address at which browsers and clients find the sandbox."""
        return f"http://{self.host}:{self.port}"


def read_settings(
    arguments: Sequence[str], environment: Mapping[str, str] = os.environ
) -> Settings:
    """Return the settings; raises SettingsError."""
    values = vars(_parser().parse_args(arguments))
    for option in _OPTIONS:
        name = option.replace("-", "_")
        from_environment = environment.get(f"SANDBOX_{name.upper()}")
        values[name] = values[name] or from_environment or _DEFAULTS.get(option)
        if not values[name]:
            raise SettingsError(f"Missing --{option} (or SANDBOX_{name.upper()}).")
    _check(values)
    return Settings(**values | {"port": int(values["port"]), "data": Path(values["data"])})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="A local payment provider that speaks Stripe's API.",
        epilog="Each option can also come from the environment, as SANDBOX_API_KEY and so on.",
    )
    for option, text in _OPTIONS.items():
        parser.add_argument(f"--{option}", help=text)
    return parser


def _check(values: Mapping[str, str]) -> None:
    port = values["port"]
    if not (port.isascii() and port.isdecimal() and int(port) <= _LAST_PORT):
        raise SettingsError(f"--port must be a number up to {_LAST_PORT}, not {port!r}.")
    for name, prefix in (("api_key", "sk_test_"), ("webhook_secret", "whsec_")):
        if not values[name].startswith(prefix):
            raise SettingsError(f"--{name.replace('_', '-')} must start with {prefix}.")
    address = urlsplit(values["webhook_url"])
    if address.scheme not in ("http", "https") or not address.hostname:
        raise SettingsError("--webhook-url must be a full http:// or https:// address.")
