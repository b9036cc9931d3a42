"""`python -m sandbox`: run the provider until SIGTERM or SIGINT."""

from __future__ import annotations

import logging
import signal
import sys

from sandbox.server import Server
from sandbox.settings import SettingsError, read_settings


def main() -> int:
    """Run the sandbox; returns the exit status (2 for a wrong or impossible setting)."""
    logging.basicConfig(level=logging.WARNING)
    try:
        server = Server(read_settings(sys.argv[1:]))
    except SettingsError as error:
        print(f"sandbox: {error}", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    print(f"sandbox: ready at {server.settings.base_url}", flush=True)
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
