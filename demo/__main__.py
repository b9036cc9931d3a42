"""`python -m demo`: run the store until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import environ

from config import embedded
from config.local import data_folder
from demo.environment import CHECKOUT, make_plan
from demo.errors import DemoError, Stop
from demo.folder import empty, held
from demo.instance import BETWEEN_LOOKS, check_ports, running
from demo.steps import step
from demo.telling import told

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType


def main() -> int:
    """Run the demo; returns 0 after Ctrl-C and 1 when something went wrong."""
    options = _options()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, raise_stop)
    # Here rather than in the children alone: what .env names decides which parts are started.
    environ.Env.read_env(CHECKOUT / ".env")
    try:
        run(data=data_folder(CHECKOUT), port=options.port, reset=options.reset)
    except Stop:
        print("  stopped")
    except DemoError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return 0


def run(*, data: Path, port: int, reset: bool) -> None:
    """Bring the store up, tell about it, and watch it; raises DemoError or Stop."""
    with held(data):
        if reset:
            _reset(data)
        plan = make_plan(data=data, port=port, sandbox_port=port + 1, given=os.environ)
        check_ports(plan)
        with running(plan) as family:
            print(told(plan), flush=True)
            try:
                while True:
                    family.check()
                    time.sleep(BETWEEN_LOOKS)
            finally:
                _let_stop_finish()
                print("\n  stopping, the database last", flush=True)


def _reset(data: Path) -> None:
    if os.environ.get("DATABASE_URL"):
        raise DemoError(
            "RESET: the database of DATABASE_URL is not the demo's to empty, and keys and kits\n"
            "must go with it. Unset DATABASE_URL, or empty both yourself."
        )
    with step("reset: the data of earlier runs"):
        if (data / "postgres").exists():
            embedded.stop(data / "postgres")
        empty(data, checkout=CHECKOUT)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", description=main.__doc__)
    parser.add_argument("--port", type=int, default=8000, help="of the store; sandbox: the next")
    parser.add_argument("--reset", action="store_true", help="delete the data folder's content")
    return parser.parse_args()


def raise_stop(_number: int, _frame: FrameType | None) -> None:
    """Handle a signal that asks the program to end: raise Stop, once."""
    _let_stop_finish()
    raise Stop


def _let_stop_finish() -> None:
    # From here a second Ctrl-C changes nothing: stopping takes ten seconds at most.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)


if __name__ == "__main__":
    sys.exit(main())
