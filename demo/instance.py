"""A whole store on one machine, brought up step by step and taken down again."""

from __future__ import annotations

import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

from config import embedded
from demo.environment import CHECKOUT, Plan
from demo.errors import DemoError
from demo.ports import HOST, check_port
from demo.processes import Family
from demo.steps import step

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "packages/kimi-k3-8xb300"
TERMS = "licences/enterprise-1.0.md"
FIRST_START_SECONDS = 30.0
READY_SECONDS = 60.0
PROBE_SECONDS = 5.0
BETWEEN_LOOKS = 0.2


@contextmanager
def running(plan: Plan) -> Iterator[Family]:
    """A store that answers, until the block ends; raises DemoError when a part fails.

    However the block ends, every process is stopped, the embedded Postgres last.
    """
    family = Family(logs=plan.data / "log", folder=CHECKOUT)
    try:
        _prepare(plan, family)
        _serve(plan, family)
        yield family
    finally:
        family.stop()
        if plan.embedded_database:
            embedded.stop(plan.data / "postgres")


def check_ports(plan: Plan) -> None:
    """Raise DemoError when a port that the plan needs is taken."""
    check_port(plan.port, purpose="store")
    if plan.sandbox:
        check_port(plan.sandbox_port, purpose="payment sandbox")


def manage(plan: Plan, family: Family, name: str, *arguments: str) -> None:
    """Run a manage.py command as a step of its own log; raises DemoError when it fails."""
    family.run(name, [sys.executable, "manage.py", *arguments], plan.variables)


def _prepare(plan: Plan, family: Family) -> None:
    """Everything that must hold before a server starts. Each command is a no-op when it does."""
    if plan.embedded_database:
        with step("Postgres, embedded"):
            # Cut short, it would leave half a data folder that no later start can use.
            command = [sys.executable, "manage.py", "db", "start"]
            family.run("postgres", command, plan.variables, patience=FIRST_START_SECONDS)
    with step("tables, as the owner role"):
        manage(plan, family, "migrate", "migrate", "--no-input")
    with step("style sheets and scripts"):
        manage(plan, family, "collectstatic", "collectstatic", "--no-input", "--verbosity=0")
    with step("root of trust and signing keys"):
        _make_keys(plan, family)
    with step("licence terms"):
        manage(plan, family, "terms", "publish_terms", TERMS)
    with step("sample package: build, sign, publish"):
        manage(plan, family, "publish", "publish", PACKAGE)
    with step("accounts"):
        manage(plan, family, "accounts", "demo_accounts")


def _make_keys(plan: Plan, family: Family) -> None:
    root = plan.variables["ROOT_KEY_FILE"]
    _once(plan, family, "newroot", "--out", root, unless="a root is never overwritten")
    _once(plan, family, "newkey", unless="has an active key already")
    manage(plan, family, "sign_keys", "sign_keys", "--root", root)


def _once(plan: Plan, family: Family, name: str, *arguments: str, unless: str) -> None:
    try:
        manage(plan, family, name, name, *arguments)
    except DemoError as error:
        # The command refuses to make a second one; here the first is all that is wanted.
        if unless not in str(error):
            raise


def _serve(plan: Plan, family: Family) -> None:
    if plan.sandbox:
        with step("payment sandbox"):
            family.start("sandbox", _python("sandbox"), plan.sandbox_variables)
            _wait(f"{plan.sandbox_url}/", family, any_answer=True)
    with step("worker"):
        _start_workers(plan, family)
    with step("web"):
        family.start("web", _web(plan), plan.variables)
        _wait(f"{plan.local_url}/readyz", family)


def _start_workers(plan: Plan, family: Family) -> None:
    if not plan.celery:
        family.start("worker", [sys.executable, "manage.py", "work"], plan.variables)
        return
    celery = _python("celery", "-A", "config.celery")
    beat = ["beat", "--pidfile=", f"--schedule={plan.data / 'celery-beat'}"]
    family.start("worker", [*celery, "worker", "--concurrency=2"], plan.variables)
    family.start("beat", [*celery, *beat], plan.variables)


def _web(plan: Plan) -> list[str]:
    options = ["--config=python:config.gunicorn", "--graceful-timeout=5"]
    return _python("gunicorn", "config.wsgi", f"--bind={HOST}:{plan.port}", *options)


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]


def _wait(url: str, family: Family, *, any_answer: bool = False) -> None:
    """Wait until the address answers 200, or at all; raises DemoError after a minute."""
    deadline = time.monotonic() + READY_SECONDS
    while (status := _status(url)) != HTTPStatus.OK and not (any_answer and status):
        family.check()
        if time.monotonic() > deadline:
            said = f"answers {status}" if status else "does not answer"
            raise DemoError(f"{url} {said} after {READY_SECONDS:.0f} s. Its log may say why.")
        time.sleep(BETWEEN_LOOKS)
    # The answer may be another program's that took the port a moment ago.
    family.check()


def _status(url: str) -> int | None:
    try:
        with urllib.request.urlopen(url, timeout=PROBE_SECONDS) as answer:  # noqa: S310 - our own loopback address
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None
